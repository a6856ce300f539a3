/** Requests to models on a real Postgres: token and concurrency limits under load, requests that end once, and lost requests. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { cases } from '@hamlet/test/env/seeded';
import { pluck } from '@hamlet/test/env/pluck';
import { sql } from 'kysely';
import { readDayCosts } from '../ledger/day-sums.ts';
import { testLedger } from '../ledger/testing/test-ledger.ts';
import { endModelRequest, markLostModelRequests, readModelHour, readModelRequests } from './model-requests.ts';
import { admitModelRequest, type Admission } from './model-admission.ts';
import { anAdmission } from './testing/an-admission.ts';

const CLIENTS = 20;
const REQUESTS = cases(100, 2_000);
const LIFE = { limitS: 150 };
const ROOM = { inFlightMax: 4, quota: 1_000 };
const TOKENS = 30;

const ledger = await testLedger(CLIENTS);

/** Begins a request as the gateway does, with a price of `amount`. */
function ask(agentId: string, tokens = TOKENS, amount: bigint | null = 0n): Promise<Admission> {
  const payment = amount === null ? null : { amount, lastsMs: 60_000, note: 'tokens of small', about: { podUid: 'p' } };
  const caller = { agentUid: 'u', podUid: 'p', payment };
  return admitModelRequest(ledger.db, anAdmission(agentId, { ...caller, ...ROOM, reservedTokens: tokens }));
}

async function enter(agentId: string, tokens = TOKENS): Promise<string | null> {
  const admission = await ask(agentId, tokens);
  return admission.verdict === 'admitted' ? admission.requestId : null;
}

function end(requestId: string, used: number): Promise<boolean> {
  return endModelRequest(
    ledger.db,
    { requestId, line: null },
    { outcome: 'done', promptTokens: used, completionTokens: 0 },
  );
}

/** Moves the start of an agent's requests and hour into the past. */
async function age(agentId: string, seconds: number): Promise<void> {
  await sql`alter table model_request disable trigger ends_once`.execute(ledger.owner);
  await sql`update model_request set started_at = started_at - ${seconds} * interval '1 second', hour_began_at = hour_began_at - ${seconds} * interval '1 second' where agent_id = ${agentId}`.execute(
    ledger.owner,
  );
  await sql`update model_hour set began_at = began_at - ${seconds} * interval '1 second' where agent_id = ${agentId}`.execute(
    ledger.owner,
  );
  await sql`alter table model_request enable always trigger ends_once`.execute(ledger.owner);
}

test(`${REQUESTS} requests of ${CLIENTS} clients never exceed the concurrency limit or the tokens of the hour`, async () => {
  let inFlight = 0;
  let most = 0;
  let used = 0;
  const work = Array.from({ length: REQUESTS }, (_, index) => index);
  const client = async (): Promise<void> => {
    for (let index = work.pop(); index !== undefined; index = work.pop()) {
      const requestId = await enter('ada');
      if (requestId === null) continue;
      inFlight += 1;
      most = Math.max(most, inFlight);
      await setImmediate();
      inFlight -= 1;
      const taken = index % TOKENS;
      assert.ok(await end(requestId, taken));
      used += taken;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const hour = await readModelHour(ledger.db, 'ada', LIFE);
  assert.deepEqual([hour.used, hour.inFlight], [used, 0], 'the unused part of the reservation is free again');
  assert.ok(most <= ROOM.inFlightMax, `${most} at one time`);
  assert.ok(used > 0 && used <= ROOM.quota, `${used} tokens`);
});

test('exactly as many concurrent requests begin as the limit allows', async () => {
  const entered = await Promise.all(Array.from({ length: CLIENTS }, () => enter('bob')));
  const ids = entered.filter((id) => id !== null);
  assert.equal(ids.length, ROOM.inFlightMax);
  assert.deepEqual(
    await Promise.all(ids.map((id) => end(id, 1))),
    ids.map(() => true),
  );
  assert.ok((await enter('bob')) !== null);
});

test('a request ends once, and its row never changes afterwards', async () => {
  const id = await enter('cleo');
  assert.ok(id !== null);
  const ends = await Promise.all(Array.from({ length: CLIENTS }, (_, index) => end(id, index + 1)));
  assert.equal(ends.filter(Boolean).length, 1);
  const [row] = await readModelRequests(ledger.db, 'cleo', 1);
  assert.equal((await readModelHour(ledger.db, 'cleo', LIFE)).used, row?.promptTokens);
  await assert.rejects(
    sql`update model_request set outcome = 'failed' where request_id = ${id}`.execute(ledger.db),
    /has ended/,
  );
  await assert.rejects(
    sql`update model_request set model = 'large' where request_id = ${id}`.execute(ledger.db),
    /permission denied/,
  );
});

test('a lost request no longer counts as in flight, and its tokens count until the hour ends', async () => {
  for (let place = 0; place < ROOM.inFlightMax; place += 1) assert.ok((await enter('dan')) !== null);
  assert.equal(await enter('dan'), null);
  await age('dan', LIFE.limitS + 1);
  assert.equal((await readModelHour(ledger.db, 'dan', LIFE)).inFlight, 0);
  const mark = () => ledger.within((tx) => markLostModelRequests(tx, LIFE));
  assert.equal((await mark()).length, ROOM.inFlightMax);
  assert.deepEqual(await mark(), []);
  assert.deepEqual(pluck(await readModelRequests(ledger.db, 'dan', 1), 'outcome'), ['lost']);
  assert.equal((await readModelHour(ledger.db, 'dan', LIFE)).used, ROOM.inFlightMax * TOKENS);
  await age('dan', 3_600);
  assert.deepEqual(await readModelHour(ledger.db, 'dan', LIFE), { used: 0, resetsInS: 0, inFlight: 0 });
  assert.ok((await enter('dan')) !== null);
  assert.equal((await readModelHour(ledger.db, 'dan', LIFE)).used, TOKENS, 'a new hour');
});

test('a request that ends in a later hour frees no tokens of that hour', async () => {
  const id = await enter('eve');
  assert.ok(id !== null);
  await age('eve', 3_601);
  assert.ok((await enter('eve', 10)) !== null);
  assert.ok(await end(id, 1));
  assert.equal((await readModelHour(ledger.db, 'eve', LIFE)).used, 10);
});

test('the cost of a request at its provider counts in the day and currency of its end, once', async () => {
  const costOf = async (requestId: string, currency: string, micros: bigint): Promise<boolean> =>
    endModelRequest(
      ledger.db,
      { requestId, line: null, providerCost: { currency, micros } },
      { outcome: 'done', promptTokens: 1, completionTokens: 0 },
    );
  const enterAs = async (): Promise<string> => (await enter('cost-of-ada', 1)) ?? assert.fail('not admitted');
  const first = await enterAs();
  assert.deepEqual([await costOf(first, 'USD', 1_250n), await costOf(first, 'USD', 9n)], [true, false]);
  await costOf(await enterAs(), 'USD', 750n);
  await costOf(await enterAs(), 'EUR', 3n);
  await end(await enterAs(), 1);
  const since = new Date(Date.now() - 3_600_000);
  const read = await readDayCosts(ledger.db, { since, until: new Date(Date.now() + 60_000) });
  const own = read.filter(({ agentId }) => agentId === 'cost-of-ada');
  const sums = own.map(({ currency, micros }) => `${micros} ${currency}`);
  assert.deepEqual(sums.toSorted(), ['2000 USD', '3 EUR']);
});

test('the upgrade that adds an outcome does not read all requests under its lock, and an unknown outcome is refused', async () => {
  const { rows } = await sql<{ validated: boolean }>`
    select convalidated as validated from pg_constraint where conname = 'model_request_outcome_check'`.execute(
    ledger.owner,
  );
  assert.deepEqual(rows, [{ validated: false }]);
  const requestId = await enter('outcomes');
  assert.ok(requestId !== null);
  await assert.rejects(
    sql`update model_request set outcome = 'guessed', ended_at = now() where request_id = ${requestId}`.execute(
      ledger.owner,
    ),
    /model_request_outcome_check/,
  );
});
