/** The bounds of the shown memory of an agent, on a real Postgres. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SyncedMemory } from '@hamlet/contract';
import { sql } from 'kysely';
import { inTransaction } from '../connection/database.ts';
import { testLedger } from '../ledger/testing/test-ledger.ts';
import { readMemoryState } from './agent-memory.ts';
import { clearShownMemories, lockAgentMemory, storeShownMemories, type ShownChanges } from './memory-report.ts';

const { db } = await testLedger(2);
const AGENT = { agentUid: 'uid', agentId: 'ada' };
const aMemory = (id: string, more: Partial<SyncedMemory> = {}): SyncedMemory => ({
  memory_id: id,
  kind: 'fact',
  text: 'Mia bakes.',
  about: null,
  speaker: null,
  audience: null,
  pinned: false,
  dormant: false,
  outside: false,
  corrected: true,
  importance: 0.5,
  uses: 0,
  used_at: null,
  since: '2026-01-01T00:00:00.000Z',
  until: null,
  replaces: null,
  run_id: null,
  session_id: null,
  repository: null,
  ...more,
});
const report = (changes: Partial<ShownChanges>, bounds?: Parameters<typeof storeShownMemories>[2]): Promise<void> =>
  inTransaction(db, async (tx) => {
    await lockAgentMemory(tx, AGENT);
    await storeShownMemories(
      tx,
      { agentUid: AGENT.agentUid, mark: 1, memories: [], gone: [], held: null, ...changes },
      bounds,
    );
  });

/** The number and the bytes of the shown memories, counted again, and the ids that do not begin with `w`. */
async function counted() {
  const { rows } = await sql<{ readonly shown: number; readonly bytes: number; readonly ids: readonly string[] }>`
    select count(*) as shown, coalesce(sum(octet_length(concat(text, about, speaker, repository, audience::text))), 0)::bigint as bytes,
      coalesce(array_agg(memory_id order by memory_id) filter (where memory_id !~ '^w'), '{}') as ids
    from agent_memory`.execute(db);
  return rows[0] ?? assert.fail('no row');
}
async function isCounted(): Promise<void> {
  const { shown, bytes } = await counted();
  const state = await db.selectFrom('agent_memory_state').select(['shown', 'shown_bytes']).executeTakeFirstOrThrow();
  assert.deepEqual([state.shown, state.shown_bytes], [shown, bytes]);
}

test('the number and size of the shown memories follow each report', async () => {
  await report({
    memories: [aMemory('a'), aMemory('b', { text: 'é'.repeat(4_000) }), aMemory('a', { text: 'Mia swims.' })],
  });
  await isCounted();
  await report({
    memories: [aMemory('b'), aMemory('c', { about: 'Mia', audience: ['account 1', 'account 2'] })],
    gone: ['a', 'never'],
  });
  await isCounted();
  assert.deepEqual((await counted()).ids, ['b', 'c']);
  await report({ memories: [aMemory('d')], held: ['c'] });
  await isCounted();
  assert.deepEqual((await counted()).ids, ['c', 'd']);
  assert.equal((await readMemoryState(db, AGENT.agentUid))?.shown, 2);
  await report({ held: [] });
  assert.deepEqual((await counted()).ids, []);
});

test('words beyond a bound are left out, the oldest first; pinned memories and facts stay', async () => {
  const at = (number: number): string => new Date(Date.UTC(2025, 0, 1) + number * 60_000).toISOString();
  const words = (number: number) =>
    aMemory(`w${number}`, { kind: 'evidence', text: 'x'.repeat(1_000), since: at(number) });
  const kept = [aMemory('pinned', { kind: 'evidence', pinned: true, since: at(0) }), aMemory('fact', { since: at(0) })];
  const all = Array.from({ length: 100 }, (_, number) => words(number));
  for (const bounds of [
    { memories: 60, bytes: 1_000_000 },
    { memories: 1_000, bytes: 60_000 },
  ]) {
    await report({ held: [], memories: [...kept, ...all] }, bounds);
    const { ids, shown, bytes } = await counted();
    assert.deepEqual(ids, ['fact', 'pinned']);
    assert.ok(shown >= 0.9 * 60 && shown <= bounds.memories && bytes <= bounds.bytes, `${shown} of ${bytes} bytes`);
    const { rows } = await sql<{ readonly oldest: number }>`
      select min(substr(memory_id, 2)::int) as oldest from agent_memory where memory_id ~ '^w'`.execute(db);
    assert.equal(rows[0]?.oldest, 100 - (shown - kept.length));
    await isCounted();
  }
});

test('a large copy is cleared in steps, and its size stays known', async () => {
  await report({ held: [] });
  await sql`
    insert into agent_memory (agent_uid, memory_id, kind, text, pinned, dormant, outside, corrected, importance, uses, since)
    select ${AGENT.agentUid}, 'w' || n, 'evidence', 'x', false, false, false, false, 0.5, 0, now() from generate_series(1, 2500) n`.execute(
    db,
  );
  await sql`update agent_memory_state set shown = 2500, shown_bytes = 2500`.execute(db);
  const clear = (): Promise<boolean> => inTransaction(db, (tx) => clearShownMemories(tx, AGENT.agentUid));
  assert.equal(await clear(), false);
  await isCounted();
  assert.equal(await clear(), true);
  assert.equal((await counted()).shown, 0);
  await isCounted();
});
