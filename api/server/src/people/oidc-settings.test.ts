import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  accountNameOf,
  groupsOf,
  roleOfGroups,
  safeReturnTo,
  OIDC_ENVIRONMENT,
  oidcSettingsOf,
} from './oidc-settings.ts';
import { z } from 'zod';

const ROLES = { admin: ['wardens'], member: ['villagers', 'guests'] };

for (const [groups, role] of [
  [['wardens'], 'admin'],
  [['villagers', 'wardens'], 'admin'],
  [['guests'], 'member'],
  [['strangers'], null],
  [[], null],
  [['*'], null],
  [['WARDENS'], null],
] as const)
  test(`groups [${groups.join()}] give ${role ?? 'no role'}`, () => assert.equal(roleOfGroups(groups, ROLES), role));

test('* includes every person, also without groups; without settings no person has a role', () => {
  assert.equal(roleOfGroups([], { admin: ['wardens'], member: ['*'] }), 'member');
  assert.equal(roleOfGroups(['wardens'], { admin: [], member: [] }), null);
});

for (const [wish, leads] of [
  ['/?agent=ada', '/?agent=ada'],
  ['/board#x', '/board#x'],
  [undefined, '/'],
  ['', '/'],
  ['https://evil.example', '/'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['/.//evil.example', '/'],
  ['/..//evil.example', '/'],
  ['/a/..//evil.example', '/'],
  ['/%2e//evil.example', '/'],
  ['/./\\evil.example', '/'],
  ['/./board', '/board'],
  ['/a/../board?x=//y', '/board?x=//y'],
  ['javascript:alert(1)', '/'],
  ['/\t/evil.example', '/'],
  ['board', '/'],
] as const)
  test(`a sign-in that wishes for ${JSON.stringify(wish)} leads to ${leads}`, () =>
    assert.equal(safeReturnTo(wish), leads));

test('a name is the first claim with a usable text, without characters that names may not have', () => {
  assert.equal(accountNameOf({ preferred_username: 'ada<script>', name: 'Ada' }), 'ada script');
  assert.equal(
    accountNameOf({ preferred_username: ' ', name: 7, email: 'ada@example.org' }),
    'ada',
    'an email address is not public',
  );
  assert.equal(accountNameOf({ sub: '!!!' }), 'person');
  assert.equal(accountNameOf({ sub: 'x'.repeat(200) }).length, 60);
});

test('groups are a list of text, or one text', () => {
  assert.deepEqual(
    [groupsOf(['a', 7, 'b']), groupsOf('a'), groupsOf(undefined), groupsOf({ a: 1 })],
    [['a', 'b'], ['a'], [], []],
  );
});

const Environment = z.object(OIDC_ENVIRONMENT);

test('an issuer is https, or on this machine, and needs a client and the origin of the village', () => {
  assert.equal(Environment.safeParse({ HAMLET_OIDC_ISSUER: 'http://idp.example' }).success, false);
  assert.equal(oidcSettingsOf(Environment.parse({})), undefined);
  assert.throws(
    () => oidcSettingsOf(Environment.parse({ HAMLET_OIDC_ISSUER: 'https://idp.example' })),
    /HAMLET_OIDC_CLIENT_ID/,
  );
  assert.throws(
    () =>
      oidcSettingsOf(Environment.parse({ HAMLET_OIDC_ISSUER: 'https://idp.example', HAMLET_OIDC_CLIENT_ID: 'hamlet' })),
    /HAMLET_PUBLIC_URL/,
  );
  const env = {
    HAMLET_OIDC_ISSUER: 'http://localhost:9',
    HAMLET_OIDC_CLIENT_ID: 'hamlet',
    HAMLET_PUBLIC_URL: 'https://village.example',
    HAMLET_OIDC_ADMIN_GROUPS: 'a, b,',
  };
  assert.deepEqual(oidcSettingsOf(Environment.parse(env))?.roles, { admin: ['a', 'b'], member: [] });
});
