/** Identifies the caller of a request by each kind of credentials, against a real Postgres. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { AgentSpec } from '@hamlet/contract';
import {
  closeLife,
  inTransaction,
  insertAccount,
  insertAccountBan,
  insertSession,
  openDatabase,
  raiseCycle,
  revokeAgentSessions,
  takeMeasure,
} from '@hamlet/store';
import { migratedPostgres } from '@hamlet/test/env/postgres';
import { untilEnd, testFolder } from '@hamlet/test/env/at-end';
import type { AgentRecord } from '../agents/agent-source.ts';
import type { Actor, Credentials } from '../http/actor.ts';
import type { Outcome, Refused } from '../http/outcome.ts';
import { loadApiKeys } from './api-keys-file.ts';
import { createAuthenticate } from './authenticate.ts';
import { createDevReviewer, exchangeToken, type ReviewedAgent, type TokenReviewer } from './token-exchange.ts';
import { hashOf, newSecret } from './secrets.ts';
import { sessionCookie } from '../http/session-cookie.ts';

const BY = { role: 'admin', id: 'key admin' } as const;
const KEYS = {
  adminToken: 'a-key-of-an-admin-for-tests',
  memberToken: 'a-key-of-a-member-for-tests',
  operatorToken: 'a-key-of-the-operator-for-tests',
  brokerToken: 'a-key-of-the-broker-for-tests',
  agentTokens: {
    ada: 'a-key-of-ada-for-the-tests',
    bob: 'a-key-of-bob-for-the-tests',
    zoe: 'a-key-of-nobody-for-tests',
  },
};
const PROJECTED = 'a.projected.token';
const PROJECTED_BROKER = 'the.brokers.token';

const asked: string[] = [];

function record(agentId: string, cycle?: number): AgentRecord {
  return {
    agentId,
    uid: `uid-of-${agentId}`,
    createdAt: '2026-11-23T00:00:00Z',
    spec: AgentSpec.parse({ displayName: agentId }),
    status: cycle === undefined ? {} : { cycle },
    deleting: false,
  };
}

const agents = new Map([
  ['ada', record('ada', 3)],
  ['bob', record('bob')],
]);
const source = { get: (agentId: string): AgentRecord | null => agents.get(agentId) ?? null };
/** A cluster that knows one token of the operator and one of the broker. */
const cluster: TokenReviewer = {
  reviewAgent: async () => ({ ok: false, reason: 'token_review_refused' }),
  reviewService: async (token) => {
    asked.push(token);
    return token === PROJECTED ? 'operator' : token === PROJECTED_BROKER ? 'broker' : null;
  },
};

const folder = testFolder('auth');
await writeFile(join(folder, 'keys.json'), JSON.stringify(KEYS));
const postgres = untilEnd(await migratedPostgres());
const db = untilEnd(openDatabase({ url: postgres.url(), poolSize: 4, onError: () => undefined }));
await loadApiKeys(db, join(folder, 'keys.json'));
const authenticate = createAuthenticate({ db, source, reviewer: cluster, monotonicMs: () => 0 });

type Way = Partial<Omit<Credentials, 'headers'>>;

function ask(headers: Credentials['headers'], way: Way = {}): Promise<Actor | Refused> {
  return authenticate({ headers, address: '192.0.2.7', listener: ['people'], reads: true, ...way });
}
const byToken = (token: string, way?: Way): Promise<Actor | Refused> => ask({ authorization: `Bearer ${token}` }, way);
const refusalOf = (answer: Actor | Refused | Outcome<unknown>): string | null =>
  'ok' in answer && !answer.ok ? answer.reason : null;

test('each key of the file has its role', async () => {
  assert.deepEqual(await byToken(KEYS.adminToken), { role: 'admin', id: 'key admin', accountId: null, name: 'admin' });
  assert.deepEqual(await byToken(KEYS.memberToken), {
    role: 'member',
    id: 'key member',
    accountId: null,
    name: 'member',
  });
  assert.deepEqual(await byToken(KEYS.operatorToken), { role: 'operator', id: 'operator' });
  assert.deepEqual(await byToken(KEYS.brokerToken), { role: 'broker', id: 'broker' });
  const life = { role: 'agent', podUid: null, stale: false } as const;
  assert.deepEqual(await byToken(KEYS.agentTokens.ada), {
    ...life,
    id: 'agent ada',
    agentId: 'ada',
    uid: 'uid-of-ada',
    cycle: 3,
  });
  assert.deepEqual(await byToken(KEYS.agentTokens.bob), {
    ...life,
    id: 'agent bob',
    agentId: 'bob',
    uid: 'uid-of-bob',
    cycle: 0,
  });
  assert.deepEqual(await byToken(KEYS.agentTokens.zoe), {
    ok: false,
    reason: 'token_invalid',
    detail: 'There is no agent zoe: create it, or use the key of another agent',
  });
});

test('a keys file with a short key or anything else in it is refused; without a file there are no keys', async () => {
  const other = join(folder, 'other.json');
  for (const keys of [{ adminToken: 'fifteen letters' }, { rootToken: 'a-key-of-nobody-for-tests' }]) {
    await writeFile(other, JSON.stringify(keys));
    await assert.rejects(loadApiKeys(db, other));
  }
  await loadApiKeys(db, undefined);
  assert.equal(refusalOf(await byToken(KEYS.adminToken)), 'token_invalid');
  await loadApiKeys(db, join(folder, 'keys.json'));
  assert.equal(refusalOf(await byToken(KEYS.adminToken)), null);
});

test('an unknown token is refused; only tokens in the form of a JWT are sent to the cluster', async () => {
  assert.deepEqual(await byToken(PROJECTED), { role: 'operator', id: 'operator' });
  assert.deepEqual(await byToken(PROJECTED_BROKER), { role: 'broker', id: 'broker' });
  for (const token of ['unknown', 'two.parts', 'one.of.four.parts', 'another.projected.token'])
    assert.equal(refusalOf(await byToken(token)), 'token_invalid', token);
  // A request costs the cluster at most one review, even if it sends two tokens.
  const both = { authorization: 'Bearer a.wrong.bearer', 'x-api-key': 'a.wrong.key' };
  assert.equal(refusalOf(await ask(both)), 'token_invalid');
  assert.deepEqual(asked, [PROJECTED, PROJECTED_BROKER, 'another.projected.token', 'a.wrong.bearer']);
});

test('a header other than Bearer is refused, even next to a valid session', async () => {
  for (const authorization of ['Basic abc', 'Bearer', 'Bearer a b', ''])
    assert.equal(refusalOf(await ask({ authorization })), 'token_invalid', authorization);
});

test('a caller without credentials is a visitor on the listener for people, and is refused elsewhere', async () => {
  const visitor = { role: 'visitor', id: 'visitor 192.0.2.7' };
  assert.deepEqual(await ask({}), visitor);
  assert.deepEqual(
    await ask({ cookie: sessionCookie(newSecret('')).split(';')[0] ?? '' }),
    visitor,
    'a session that is unknown',
  );
  assert.equal(refusalOf(await ask({}, { listener: ['agents'] })), 'unauthenticated');
});

test('a session identifies its account until the account is banned', async () => {
  const accountId = randomUUID();
  const id = newSecret('');
  const headers = { cookie: sessionCookie(id).split(';')[0] ?? '' };
  await insertAccount(db, { accountId, name: 'Grace', role: 'member', passwordHash: null });
  await insertSession(db, {
    idHash: hashOf(id),
    accountId,
    expiresAt: new Date('2999-01-01T00:00:00Z'),
    signedInBy: 'password',
    address: null,
    userAgent: null,
  });
  assert.deepEqual(await ask(headers), { role: 'member', id: `account ${accountId}`, accountId, name: 'Grace' });
  assert.equal(
    refusalOf(await ask(headers, { listener: ['agents'] })),
    'unauthenticated',
    'a session is refused on the listener for agents',
  );
  await inTransaction(db, (tx) => insertAccountBan(tx, { accountId, reason: 'spam', expiresAt: null }, BY));
  assert.equal(refusalOf(await ask(headers)), 'account_banned');
});

/** A cluster that confirms this life for every token. */
function vouching(data: ReviewedAgent): TokenReviewer {
  return { reviewAgent: async () => ({ ok: true, data }), reviewService: async () => null };
}
const NOW = new Date('2999-01-01T00:00:00Z');
const exchange = (life: ReviewedAgent, now = NOW): ReturnType<typeof exchangeToken> =>
  exchangeToken({ db, reviewer: vouching(life) }, 'projected', now);

async function tokenOf(life: ReviewedAgent): Promise<string> {
  const outcome = await exchange(life);
  assert.ok(outcome.ok);
  return outcome.data.access_token;
}

const CLEO = { agentId: 'cleo', uid: 'uid-of-cleo', podUid: 'pod-of-cleo', cycle: 5 };

test("a projected token is exchanged for a five-minute token of the pod's life and cycle", async () => {
  agents.set('cleo', record('cleo', 5));
  const outcome = await exchange(CLEO);
  assert.ok(outcome.ok);
  const { access_token: token, ...life } = outcome.data;
  assert.match(token, /^hat_/);
  assert.deepEqual(life, { expires_at: '2999-01-01T00:05:00.000Z', agent_id: 'cleo', uid: 'uid-of-cleo', cycle: 5 });
  const actor = {
    role: 'agent',
    id: 'agent cleo',
    agentId: 'cleo',
    uid: 'uid-of-cleo',
    podUid: 'pod-of-cleo',
    cycle: 5,
  } as const;
  assert.deepEqual(await byToken(token), { ...actor, stale: false });
  agents.set('cleo', record('cleo', 6));
  assert.deepEqual(await byToken(token), { ...actor, stale: true }, 'the resource has a newer cycle');
  agents.set('cleo', { ...record('cleo', 9), uid: 'another life' });
  assert.deepEqual(await byToken(token), { ...actor, stale: false }, 'cycles of another life do not count');
  agents.delete('cleo');
  assert.deepEqual(await byToken(token), { ...actor, stale: false });
  await raiseCycle(db, CLEO.uid, 6);
  assert.deepEqual(await byToken(token), { ...actor, stale: true }, 'a pod of a newer cycle has exchanged its token');
});

test('the exchange refuses a token that the cluster rejects, an earlier cycle and an ended life', async () => {
  assert.equal(refusalOf(await exchangeToken({ db, reviewer: cluster }, 'projected', NOW)), 'token_review_refused');
  const dan = { agentId: 'dan', uid: 'uid-of-dan', podUid: null, cycle: 2 };
  assert.equal((await exchange(dan)).ok, true);
  assert.equal((await exchange(dan)).ok, true, 'the same cycle again');
  assert.equal(refusalOf(await exchange({ ...dan, cycle: 1 })), 'stale_cycle');
  await closeLife(db, 'uid-of-dan', 'dan');
  assert.equal(refusalOf(await exchange(dan)), 'token_not_from_pod');
});

test('a banned or frozen agent gets that reason with every kind of credentials', async () => {
  const eve = { agentId: 'eve', uid: 'uid-of-eve', podUid: null, cycle: 0 };
  const [token, revoked] = [await tokenOf(eve), await tokenOf(eve)];
  agents.set('bob', record('bob'));
  for (const agentId of ['eve', 'bob'])
    await inTransaction(db, (tx) =>
      takeMeasure(tx, { agentId, measure: 'freeze', reason: 'too loud', expiresAt: null }, BY),
    );
  assert.equal(refusalOf(await byToken(token)), 'agent_frozen');
  assert.equal(refusalOf(await byToken(KEYS.agentTokens.bob)), 'agent_frozen');
  assert.equal(refusalOf(await exchange(eve)), 'agent_frozen');
  await revokeAgentSessions(db, 'eve');
  assert.equal(refusalOf(await byToken(revoked)), 'agent_frozen', 'a revoked token gets the reason too');
});

test('a revoked token, an unknown token and a token of an ended life are refused', async () => {
  const fay = { agentId: 'fay', uid: 'uid-of-fay', podUid: null, cycle: 0 };
  const token = await tokenOf(fay);
  assert.equal(refusalOf(await byToken(token)), null);
  await revokeAgentSessions(db, 'fay');
  assert.equal(refusalOf(await byToken(token)), 'token_invalid');
  assert.equal(refusalOf(await byToken('hat_unknown')), 'token_invalid');
  const later = await tokenOf(fay);
  await closeLife(db, fay.uid, 'fay');
  assert.equal(refusalOf(await byToken(later)), 'token_invalid');
});

test('a handler that verifies agents itself gets known agents from the cache with a proof; other callers are looked up', async () => {
  const late = { verifiedLater: true } as const;
  const gil = { agentId: 'gil', uid: 'uid-of-gil', podUid: 'pod-of-gil', cycle: 0 };
  agents.set('gil', record('gil', 0));
  const token = await tokenOf(gil);
  const actor = { role: 'agent', id: 'agent gil', stale: false, ...gil } as const;
  const proof = { tokenHash: hashOf(token), cycle: 0 };
  assert.deepEqual(await byToken(token, late), actor, 'the first time it is looked up');
  assert.deepEqual(await byToken(token, late), { ...actor, proof });
  assert.deepEqual(await byToken(token), actor, 'for other handlers it is always looked up');
  await revokeAgentSessions(db, 'gil');
  assert.deepEqual(await byToken(token, late), { ...actor, proof }, 'its handler checks the proof');
  assert.equal(refusalOf(await byToken(token)), 'token_invalid');
  assert.equal(refusalOf(await byToken(token, late)), 'token_invalid', 'the refusal replaces the earlier answer');
  const other = await tokenOf(gil);
  await byToken(other, late);
  agents.set('gil', record('gil', 1));
  assert.deepEqual(await byToken(other, late), { ...actor, stale: true }, 'the resource has a newer cycle');
  for (const key of [KEYS.adminToken, KEYS.memberToken, KEYS.brokerToken]) {
    await byToken(key);
    assert.deepEqual(await byToken(key, late), await byToken(key));
  }
});

test('a cached identity is used for five minutes', async () => {
  const clock = { ms: 0 };
  const own = createAuthenticate({ db, source, reviewer: cluster, monotonicMs: () => clock.ms });
  const hal = { agentId: 'hal', uid: 'uid-of-hal', podUid: null, cycle: 0 };
  const token = await tokenOf(hal);
  const isProof = async (): Promise<boolean> => {
    const headers = { authorization: `Bearer ${token}` };
    const asked = { headers, address: '192.0.2.7', listener: ['agents'], reads: false, verifiedLater: true } as const;
    return 'proof' in (await own(asked));
  };
  assert.deepEqual([await isProof(), await isProof()], [false, true]);
  clock.ms = 299_999;
  assert.equal(await isProof(), true);
  clock.ms = 300_000;
  assert.deepEqual([await isProof(), await isProof()], [false, true]);
});

test('without a cluster, the keys of an agent and of the operator replace their projected tokens', async () => {
  const reviewer = createDevReviewer(db, source);
  assert.deepEqual(await reviewer.reviewAgent(KEYS.agentTokens.ada), {
    ok: true,
    data: { agentId: 'ada', uid: 'uid-of-ada', podUid: null, cycle: 3 },
  });
  for (const token of [KEYS.adminToken, KEYS.operatorToken, 'unknown'])
    assert.equal(refusalOf(await reviewer.reviewAgent(token)), 'token_review_refused');
  assert.equal(refusalOf(await reviewer.reviewAgent(KEYS.agentTokens.zoe)), 'token_not_from_pod');
  assert.deepEqual(
    await Promise.all(
      [KEYS.operatorToken, KEYS.brokerToken, KEYS.agentTokens.ada, 'unknown'].map((token) =>
        reviewer.reviewService(token),
      ),
    ),
    ['operator', 'broker', null, null],
  );
});

test('while Postgres is unreachable, an unknown caller may read what visitors read, and nothing else', async () => {
  const away = openDatabase({ url: 'postgres://app@127.0.0.1:1/none', poolSize: 1, onError: () => undefined });
  const alone = createAuthenticate({ db: away, source, reviewer: cluster, monotonicMs: () => 0 });
  const credentials = {
    headers: { authorization: `Bearer ${KEYS.adminToken}` },
    address: '192.0.2.7',
    listener: ['people'] as const,
    reads: true,
  };
  try {
    assert.deepEqual(await alone({ ...credentials, isPublic: true }), { role: 'visitor', id: 'visitor 192.0.2.7' });
    await assert.rejects(alone(credentials), 'a route that only some may read');
    await assert.rejects(alone({ ...credentials, isPublic: true, listener: ['agents'] }), 'on the listener for agents');
  } finally {
    await away.destroy();
  }
});
