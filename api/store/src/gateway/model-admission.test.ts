/** Admission of requests to models on a real Postgres: limits, measures and holds. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import { sql } from 'kysely';
import { openAgentAccount } from '../ledger/accounts.ts';
import { readFunds } from '../ledger/balances.ts';
import { insertRuns } from '../runs/new-runs.ts';
import { testLedger } from '../ledger/testing/test-ledger.ts';
import { takeMeasure } from '../standing/measures.ts';
import { admitModelRequest, type Admission, type AskedAdmission } from './model-admission.ts';
import { readAudit } from '../writes/audit.ts';
import { endModelRequest, readModelHour, readModelRequests } from './model-requests.ts';
import { anAdmission } from './testing/an-admission.ts';

const CLIENTS = 20;
const LIFE = { limitS: 150 };

const ledger = await testLedger(CLIENTS);

const payment = (amount: bigint): AskedAdmission['payment'] => ({
  amount,
  lastsMs: 60_000,
  note: 'tokens of small',
  about: { podUid: 'pod-1', traceparent: '00-2' },
});

function ask(agentId: string, other: Partial<AskedAdmission> = {}): Promise<Admission> {
  const limits = { reservedTokens: 40, inFlightMax: 2, quota: 100 };
  return admitModelRequest(ledger.db, anAdmission(agentId, { ...limits, payment: payment(0n), ...other }));
}

const lastOf = async (agentId: string) => (await readModelRequests(ledger.db, agentId, 1))[0];

test('a request is admitted if fewer than the maximum are under way and its tokens fit into the hour', async () => {
  const cases: readonly (readonly [Partial<AskedAdmission>, Admission['verdict']])[] = [
    [{ reservedTokens: 101 }, 'token_quota_exhausted'],
    [{ inFlightMax: 0, reservedTokens: 101 }, 'too_many_in_flight'],
    [{ reservedTokens: 60 }, 'admitted'],
    [{ reservedTokens: 41 }, 'token_quota_exhausted'],
    [{ reservedTokens: 40 }, 'admitted'],
    [{ reservedTokens: 1 }, 'too_many_in_flight'],
  ];
  for (const [other, verdict] of cases) assert.equal((await ask('ada', other)).verdict, verdict, JSON.stringify(other));
  const refused = await ask('ada');
  assert.ok('hour' in refused);
  assert.deepEqual([refused.hour.used, refused.hour.inFlight], [100, 2], 'the use without the refused request');
  assert.ok(refused.hour.resetsInS > 3_500 && refused.hour.resetsInS <= 3_600);
});

test('a priced request holds its money in the same statement', async () => {
  const account = await ledger.account('bob', 100n);
  const first = await ask('bob', { payment: payment(70n) });
  assert.ok(first.verdict === 'admitted' && first.holdId !== null);
  const second = await ask('bob', { payment: payment(31n) });
  assert.deepEqual(second, {
    verdict: 'unpaid',
    reason: 'insufficient_funds',
    funds: { balance: 100n, held: 70n },
  });
  const { balance, held } = await readFunds(ledger.db, account);
  assert.deepEqual([balance, held], [100n, 70n]);
  const row = await lastOf('bob');
  assert.deepEqual([row?.outcome, row?.endedAt === null], ['not_paid', false]);
  const { used, inFlight } = await readModelHour(ledger.db, 'bob', LIFE);
  assert.deepEqual([used, inFlight], [40, 1], 'a request without enough money reserves no tokens');
});

test('concurrent requests hold no more than the balance and exceed no limit', async () => {
  const account = await ledger.account('cleo', 100n);
  const asked = Array.from({ length: CLIENTS }, () => ask('cleo', { inFlightMax: 8, payment: payment(30n) }));
  const admitted = (await Promise.all(asked)).filter(({ verdict }) => verdict === 'admitted');
  assert.equal(admitted.length, 2, 'the hour has tokens for two');
  assert.equal((await readFunds(ledger.db, account)).held, 60n);
});

test('a waiting request holds no money and is not checked for measures yet', async () => {
  const account = await ledger.account('dan', 100n);
  const admission = await ask('dan', { payment: null });
  assert.ok(admission.verdict === 'admitted' && admission.holdId === null);
  assert.equal((await readFunds(ledger.db, account)).held, 0n);
  const end = { outcome: 'not_paid', promptTokens: 0, completionTokens: 0 } as const;
  assert.deepEqual(
    [
      await endModelRequest(ledger.db, { requestId: admission.requestId, line: null }, end),
      await endModelRequest(ledger.db, { requestId: admission.requestId, line: null }, end),
    ],
    [true, false],
  );
});

test('a request that two replicas end gets one audit row', async () => {
  const admission = await ask('gil');
  assert.ok(admission.verdict === 'admitted');
  const { requestId } = admission;
  const end = { outcome: 'done', promptTokens: 3, completionTokens: 4 } as const;
  const endOnce = (auditId: string): Promise<boolean> => {
    const who = { actorRole: 'agent', actorId: 'gil', requestId: randomUUID(), traceparent: null };
    const line = { ...who, auditId, action: 'models.call', object: requestId, detail: { model: 'small' } };
    return endModelRequest(ledger.db, { requestId, line }, end);
  };
  const ends = await Promise.all([endOnce(randomUUID()), endOnce(randomUUID())]);
  assert.deepEqual(ends.toSorted(), [false, true]);
  const lines = await readAudit(ledger.db, requestId, 10);
  assert.deepEqual(pluck(lines, 'action', 'actorId', 'detail'), [['models.call', 'gil', { model: 'small' }]]);
  assert.equal((await lastOf('gil'))?.outcome, 'done');
});

test('the most severe measure refuses a request, even a free one', async () => {
  const take = (measure: 'quarantine' | 'ban', reason: string): Promise<boolean> =>
    ledger.within((tx) =>
      takeMeasure(tx, { agentId: 'eve', measure, reason, expiresAt: null }, { role: 'admin', id: 'ann' }),
    );
  await take('quarantine', 'odd requests');
  await take('ban', 'spam');
  assert.deepEqual(await ask('eve'), { verdict: 'barred', bar: { measure: 'ban', reason: 'spam', expiresAt: null } });
  assert.equal((await lastOf('eve'))?.outcome, 'not_paid');
});

test('a priced request is refused without an account or with an empty one', async () => {
  assert.deepEqual(await ask('finn', { payment: payment(1n) }), { verdict: 'no_account' });
  await ledger.within((tx) => openAgentAccount(tx, 'finn'));
  assert.equal((await ask('finn', { payment: payment(1n) })).verdict, 'unpaid');
  assert.equal((await ask('finn')).verdict, 'admitted', 'a free one needs none');
});

test('a request that names no run is not admitted while a run of its agent is in progress, and nothing is stored', async () => {
  const [run] = await ledger.within((tx) =>
    insertRuns(tx, [
      {
        agentId: 'hal',
        agentUid: 'uid-hal',
        kind: 'prompt',
        prompt: 'Bake bread.',
        createdByRole: 'admin',
        createdById: 'ann',
        schedule: null,
      },
    ]),
  );
  assert.equal((await ask('hal')).verdict, 'admitted', 'a queued run has no budgets yet');
  const start = sql`update run set state = 'running', attempt = 1, cycle = 1, started_at = now() where agent_id = 'hal'`;
  await start.execute(ledger.owner);
  assert.deepEqual(await ask('hal', { inFlightMax: 0 }), { verdict: 'in_run' });
  assert.equal((await ask('hal', { agentUid: 'uid-of-another-life', inFlightMax: 0 })).verdict, 'too_many_in_flight');
  const named = await ask('hal', { runId: run?.runId ?? null, inFlightMax: 2 });
  assert.equal(named.verdict, 'admitted');
  assert.deepEqual((await readModelHour(ledger.db, 'hal', LIFE)).inFlight, 2);
});
