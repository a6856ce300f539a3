/** The audit finds every act and every transfer by actor, action, object, words and time, in pages without repeats. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAudit, type AuditRecord } from '@hamlet/contract';
import { pluck } from '@hamlet/test/env/pluck';
import { refuses } from '@hamlet/test/env/client';
import { clientOf, TOKENS, testVillage } from '../testing/test-village.ts';

type Query = NonNullable<Parameters<typeof admin.call<typeof listAudit>>[1]['query']>;

const village = await testVillage();
const { peopleUrl } = await village.startReplica();
const admin = clientOf(peopleUrl, TOKENS.admin);
const member = clientOf(peopleUrl, TOKENS.member);
for (const agent_id of ['ada', 'bob'])
  await member.rewardAgent({ agent_id, amount: '2', reason: `a poem for ${agent_id}` });
await admin.freezeAgent({ agent_id: 'bob', reason: 'spends too fast' });
await admin.liftFreeze({ agent_id: 'bob' });
const between = new Date().toISOString();
await admin.penalizeAgent({ agent_id: 'ada', amount: '0.5', reason: 'late again' });
await admin.suspendAgent({ agent_id: 'cleo' });
await admin.awakenAgent({ agent_id: 'cleo' });

async function find(query: Query): Promise<readonly AuditRecord[]> {
  const answer = await admin.raw.listAudit({ limit: 100, ...query });
  assert.ok(answer.ok, JSON.stringify(answer));
  return answer.data.records;
}

test('the audit finds acts and transfers by actor, action, object, words and time', async () => {
  const all = await find({});
  assert.ok(all.length >= 10, `${all.length}`);
  assert.deepEqual(
    pluck(all, 'at'),
    all
      .map(({ at }) => at)
      .toSorted()
      .toReversed(),
    'newest first',
  );
  const money = await find({ kind: 'ledger' });
  assert.deepEqual(
    money.map(({ action, object }) => `${action} ${object}`),
    ['ledger.penalty ada', 'ledger.reward bob', 'ledger.reward ada'],
  );
  assert.deepEqual(money[0]?.detail, {
    amount_micro: '500000',
    from: 'agent/ada',
    to: 'treasury',
    source: money[0]?.actor_id,
    note: 'late again',
  });
  assert.deepEqual((await find({ action: 'ledger' })).length, 3, 'an area');
  assert.deepEqual(
    (await find({ except: 'ledger' })).filter(({ kind }) => kind === 'ledger'),
    [],
    'an area left out',
  );
  assert.deepEqual((await find({ action: 'ledger.penalty' })).length, 1);
  assert.ok((await find({ action: 'led' })).length === 0, 'no part of a word');
  assert.deepEqual(pluck(await find({ q: 'fast spends' }), 'object'), ['bob']);
  assert.deepEqual((await find({ q: 'poem bob' })).map(({ kind }) => kind).toSorted(), ['act', 'ledger']);
  assert.ok((await find({ object: 'cleo' })).every(({ object }) => object === 'cleo'));
  const [own] = await find({ q: 'poem ada', kind: 'act' });
  assert.ok(own !== undefined && own.request_id !== null && own.traceparent !== null);
  assert.ok((await find({ actor: own.actor_id })).every(({ actor_id }) => actor_id === own.actor_id));
  const [before_, since] = [await find({ until: between }), await find({ since: between })];
  assert.equal(before_.length + since.length, all.length);
  assert.ok(
    since.some(({ action }) => action === 'ledger.penalty') &&
      before_.every(({ action }) => action !== 'ledger.penalty'),
  );
});

test('pages list each record once, even if acts happen meanwhile', async () => {
  const all = await find({});
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const answer = await admin.listAudit({ limit: 3, ...(cursor === undefined ? {} : { cursor }) });
    seen.push(...answer.records.map(({ record_id }) => record_id));
    cursor = answer.next_cursor ?? undefined;
    if (seen.length === 3) await admin.rewardAgent({ agent_id: 'dan', amount: '1', reason: 'meanwhile' });
  } while (cursor !== undefined);
  assert.deepEqual(seen, pluck(all, 'record_id'));
});

test('a cursor is valid only for the query that returned it', async () => {
  const answer = await admin.listAudit({ limit: 1 });
  assert.ok(answer.next_cursor !== null);
  for (const query of [{ cursor: answer.next_cursor, kind: 'act' as const }, { cursor: 'bm9uc2Vuc2U' }])
    await refuses(admin.listAudit(query), 'cursor_invalid');
});
