/** performCall is cut off before and after every statement: the repeated call leaves exactly one effect. */
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { untilEnd } from '@hamlet/test/env/at-end';
import { cases } from '@hamlet/test/env/seeded';
import { startStatementTap, type Cut } from '../testing/statement-tap.ts';
import { AGENT_IDS, eventually, testVillage } from '../testing/test-village.ts';
import { ASKING_RULES, PermissionPlay, post, resultOf, type Working, countPosts } from './testing/permission-play.ts';

/** More statements than performCall has. */
const STATEMENTS_MAX = 60;
/** In the gate, odd statements are cut before and even ones after; a full run cuts each of them both ways. */
const STEP = cases(2, 1);
const firstCut = (how: 'before' | 'after'): number => (how === 'before' ? 1 : STEP);

/** Cuts at the statement with this number, counted in the transactions that have locked an effect. */
let cutAt: { readonly number: number; readonly how: 'before' | 'after' } | null = null;
let counted = 0;
let wasCut = false;

const cut: Cut = (open) => {
  if (cutAt === null || !open.some((statement) => /from "effect"/.test(statement))) return null;
  counted += 1;
  if (counted !== cutAt.number) return null;
  wasCut = true;
  return cutAt.how;
};

const village = await testVillage();
const db = village.openDb();
const tap = untilEnd(await startStatementTap(Number(new URL(village.postgres.url()).port), cut));
const url = new URL(village.environment['HAMLET_POSTGRES_URL'] ?? '');
url.host = `127.0.0.1:${tap.port}`;
const settings = { HAMLET_POSTGRES_URL: url.href, HAMLET_TOOL_RULES: ASKING_RULES };
const permits = new PermissionPlay((await village.startReplica(settings)).peopleUrl);
await permits.play.everybody();
afterEach(() => permits.endAll());

/** Cuts a call at a statement, and repeats it. Returns false if the call has fewer statements. */
async function cutAndRepeat(
  working: Working,
  call: ReturnType<typeof post>,
  at: NonNullable<typeof cutAt>,
): Promise<boolean> {
  [cutAt, counted, wasCut] = [at, 0, false];
  const first = await permits.perform(working, call);
  cutAt = null;
  if (!wasCut) return false;
  assert.equal(first.ok, false, `cut ${at.how} statement ${at.number}: the agent learns that the end is unknown`);
  await eventually('the repeated call', async () => {
    const result = resultOf(await permits.perform(working, call));
    assert.ok(['ok', 'unavailable', 'idempotency_in_flight'].includes(result), result);
    return result === 'ok';
  });
  const { state } = await db
    .selectFrom('effect')
    .select('state')
    .where('run_id', '=', working.runId)
    .where('call_id', '=', call.callId)
    .executeTakeFirstOrThrow();
  assert.equal(state, 'settled');
  return true;
}

for (const how of ['before', 'after'] as const)
  test(`a post whose connection breaks ${how} any statement is on the board once, and uses up one permission`, async () => {
    let cuts = 0;
    for (let number = firstCut(how); number < STATEMENTS_MAX; number += STEP) {
      const working = await permits.startRun(AGENT_IDS[number % AGENT_IDS.length] ?? 'ada');
      const title = `Cut ${how} ${number}`;
      const permissionId = await permits.allow(working, post('1.0', title));
      const isCut = await cutAndRepeat(working, post('1.0', title), { number, how });
      assert.equal(await countPosts(village, title), 1, title);
      const { state } = await db
        .selectFrom('permission')
        .select('state')
        .where('permission_id', '=', permissionId)
        .executeTakeFirstOrThrow();
      assert.equal(state, 'consumed', title);
      await permits.endAll();
      if (!isCut) break;
      cuts += 1;
    }
    assert.ok(cuts * STEP > 10 && cuts < STATEMENTS_MAX / STEP - 1, `${cuts} cuts`);
  });

for (const how of ['before', 'after'] as const)
  test(`speech whose connection breaks ${how} any statement is said once`, async () => {
    let cuts = 0;
    for (let number = firstCut(how); number < STATEMENTS_MAX; number += STEP) {
      const working = await permits.startRun('ada');
      const text = `Cut ${how} ${number}`;
      const isCut = await cutAndRepeat(working, { tool: 'say', callId: '1.0', args: { text } }, { number, how });
      const said = await db.selectFrom('world_event').select('event').where('kind', '=', 'talk').execute();
      assert.equal(said.filter(({ event }) => JSON.stringify(event).includes(`"${text}"`)).length, 1, text);
      await permits.endAll();
      if (!isCut) break;
      cuts += 1;
    }
    assert.ok(cuts * STEP > 6 && cuts < STATEMENTS_MAX / STEP - 1, `${cuts} cuts`);
  });
