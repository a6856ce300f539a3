import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { test } from 'node:test';
import { Authority } from './authority.ts';
import { createAuthority } from './issuer.ts';

test('a library of certificates that cannot be loaded now is loaded for the next host', async () => {
  const authority = new Authority(await createAuthority('a village', Date.now()), Date.now);
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      if (specifier === './issuer.ts') throw new Error('EMFILE: too many open files');
      return next(specifier, context);
    },
  });
  await assert.rejects(authority.context('example.org'), /EMFILE/);
  hooks.deregister();
  assert.ok(await authority.context('example.org'));
});
