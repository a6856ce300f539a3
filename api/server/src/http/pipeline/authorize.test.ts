import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  awakenAgent,
  changePassword,
  getAgentConfig,
  getMe,
  getWorld,
  KEY_SCOPES,
  type KeyScope,
  listTurns,
  moveAgent,
  ROUTES,
  type RouteSpec,
} from '@hamlet/contract';
import type { Actor } from '../actor.ts';
import { authorize } from './authorize.ts';

const ADMIN: Actor = { role: 'admin', id: 'account 1', accountId: '1', name: 'ann' };
const VISITOR: Actor = { role: 'visitor', id: 'visitor' };
const ADA: Actor = {
  role: 'agent',
  id: 'agent ada',
  agentId: 'ada',
  uid: 'uid-1',
  podUid: null,
  cycle: 1,
  stale: false,
};

function reasonOf(route: RouteSpec, actor: Actor, agentId = 'ada'): string | null {
  return authorize(route, actor, { agent_id: agentId })?.reason ?? null;
}

test('a visitor without the permission is unauthenticated; any other actor without it is forbidden', () => {
  assert.equal(reasonOf(listTurns, VISITOR), 'unauthenticated');
  assert.equal(reasonOf(listTurns, ADA), 'forbidden');
  assert.equal(reasonOf(awakenAgent, ADA), 'forbidden');
  assert.equal(reasonOf(getAgentConfig, ADMIN), 'forbidden');
  assert.equal(reasonOf(getWorld, VISITOR), null);
  assert.equal(reasonOf(awakenAgent, ADMIN), null);
});

test('an agent may act only for itself and an admin for every agent; a route without an agent is open to both', () => {
  assert.equal(reasonOf(moveAgent, ADA), null);
  assert.equal(reasonOf(moveAgent, ADA, 'bob'), 'not_own_agent');
  assert.equal(authorize(moveAgent, ADA, {})?.reason, 'not_own_agent');
  assert.equal(reasonOf(moveAgent, ADMIN, 'bob'), null);
  assert.equal(reasonOf(getWorld, ADA, 'bob'), null);
});

test('a key opens what its scopes and the role of its person have in common', () => {
  const withKey = (role: 'member' | 'admin', ...scopes: readonly string[]): Actor => ({
    role,
    id: 'account 1',
    accountId: '1',
    name: 'ann',
    key: { keyId: 'k', scopes },
  });
  assert.equal(reasonOf(awakenAgent, withKey('admin', 'manage')), null);
  assert.equal(reasonOf(awakenAgent, withKey('admin', 'read', 'work')), 'forbidden');
  assert.equal(reasonOf(awakenAgent, withKey('member', 'manage')), 'forbidden');
  assert.equal(reasonOf(getMe, withKey('member', 'board')), null);
  assert.equal(reasonOf(getWorld, withKey('member', 'a scope of a later version')), 'forbidden');
  const every = withKey('admin', ...KEY_SCOPES);
  assert.equal(reasonOf(changePassword, every), 'forbidden');
  const opened = ROUTES.filter((route) => reasonOf(route, every) === null && route.permission !== 'anyone');
  const closed = new Set(ROUTES.filter((route) => reasonOf(route, ADMIN) === null && !opened.includes(route)));
  assert.deepEqual(
    [...new Set([...closed].map(({ permission }) => permission).filter((each) => each !== 'anyone'))].toSorted(),
    [
      'account:self',
      'accounts:ban',
      'accounts:change',
      'accounts:read',
      'entitlements:change',
      'models:manage',
      'payments:manage',
      'payments:pay',
      'village:settings',
    ],
  );
  const needsAdmin = (scope: KeyScope): boolean => reasonOf(awakenAgent, withKey('admin', scope)) === null;
  assert.deepEqual(KEY_SCOPES.filter(needsAdmin), ['manage']);
});
