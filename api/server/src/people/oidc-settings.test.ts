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

test('the group * includes people without groups; without settings no person gets a role', () => {
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
  test(`a sign-in with the return path ${JSON.stringify(wish)} leads to ${leads}`, () =>
    assert.equal(safeReturnTo(wish), leads));

test('the account name is the first claim with usable text, without forbidden characters', () => {
  assert.equal(accountNameOf({ preferred_username: 'ada<script>', name: 'Ada' }), 'ada script');
  assert.equal(
    accountNameOf({ preferred_username: ' ', name: 7, email: 'ada@example.org' }),
    'ada',
    'an email address is shortened, because account names are public',
  );
  assert.equal(accountNameOf({ sub: '!!!' }), 'person');
  assert.equal(accountNameOf({ sub: 'x'.repeat(200) }).length, 60);
});

test('the groups claim may be a list of texts or one text', () => {
  assert.deepEqual(
    [groupsOf(['a', 7, 'b']), groupsOf('a'), groupsOf(undefined), groupsOf({ a: 1 })],
    [['a', 'b'], ['a'], [], []],
  );
});

const Environment = z.object(OIDC_ENVIRONMENT);

test("an issuer must use https or loopback, and needs a client id and the village's origin", () => {
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
