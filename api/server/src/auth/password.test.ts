import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnavailableError } from '../http/respond.ts';
import { createPasswords } from './password.ts';

test('a password matches its own hash; an account without a hash matches none', async () => {
  const passwords = createPasswords();
  const kept = await passwords.hash('correct horse battery');
  assert.match(kept, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.equal(await passwords.is('correct horse battery', kept), true);
  assert.equal(await passwords.is('correct horse', kept), false);
  for (const none of [null, undefined]) assert.equal(await passwords.is('', none), false);
});

test('two passwords are hashed at a time and thirty wait; any further one is refused', async () => {
  const passwords = createPasswords();
  const all = Array.from({ length: 32 }, (_, index) => passwords.hash(`password ${index}`));
  await assert.rejects(passwords.hash('one too many'), UnavailableError);
  await assert.rejects(passwords.is('one too many', 'a hash'), UnavailableError);
  await Promise.all(all);
  // Finished calls make room for as many new ones.
  const more = Array.from({ length: 32 }, (_, index) => passwords.hash(`later ${index}`));
  await assert.rejects(passwords.hash('one too many'), UnavailableError);
  await Promise.all(more);
});
