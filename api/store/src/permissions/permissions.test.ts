/** The database itself enforces the rules of permissions and effects, for any statement. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { PERMISSION_STATES, type PermissionState } from '@hamlet/contract';
import { sql } from 'kysely';
import { testLedger } from '../ledger/testing/test-ledger.ts';
import { insertRuns } from '../runs/new-runs.ts';
import { findRun } from '../runs/read-runs.ts';
import { insertChatSession } from '../sessions/write-session.ts';
import { insertAllowRule, readRulesFor } from './allow-rules.ts';
import { insertEffect, lockEffect, settleEffect } from './effects.ts';
import {
  answerPermission,
  endPermission,
  insertPermission,
  lockPermission,
  type NewPermission,
  type PermissionRow,
} from './permissions.ts';
import { countPermissions, readOverduePermissions } from './read-permissions.ts';

const VERSION = 'a'.repeat(64);
const HASH = new Uint8Array(32).fill(7);
const LEGAL: ReadonlySet<string> = new Set([
  'pending>allowed',
  'pending>denied',
  'pending>expired',
  'pending>withdrawn',
  'allowed>consumed',
  'allowed>expired',
  'allowed>withdrawn',
]);

const ledger = await testLedger(2);

async function newRun(): Promise<string> {
  const run = {
    agentId: 'ada',
    agentUid: 'uid',
    kind: 'prompt',
    prompt: 'work',
    createdByRole: 'member',
    createdById: 'account 1',
    schedule: null,
  } as const;
  const [made] = await ledger.within((tx) => insertRuns(tx, [run]));
  assert.ok(made);
  return made.runId;
}

async function ask(changes: Partial<NewPermission> = {}): Promise<PermissionRow> {
  const runId = changes.runId ?? (await newRun());
  const made: NewPermission = {
    runId,
    agentId: 'ada',
    request: 'r/1',
    callId: '1.0',
    tool: 'say',
    arguments: '{}',
    argumentsHash: HASH,
    why: 'policy',
    reason: '',
    question: null,
    amount: null,
    policyVersion: VERSION,
    lastsS: 600,
    taint: null,
    opens: [],
    ...changes,
  };
  return ledger.within((tx) => insertPermission(tx, made));
}

const BY = { role: 'admin', id: 'admin 1', name: 'Grace' };

async function inState(state: PermissionState): Promise<PermissionRow> {
  const row = await ask();
  const { permissionId: id } = row;
  await ledger.within(async (tx) => {
    if (state === 'allowed' || state === 'consumed' || state === 'denied')
      await answerPermission(tx, id, {
        answer: state === 'denied' ? 'deny' : 'allow',
        by: BY,
        reply: null,
        usableS: 600,
      });
    if (state === 'consumed' || state === 'expired' || state === 'withdrawn') await endPermission(tx, id, state);
  });
  return row;
}

test('every rule that covers a request is read: three reaches for all runs, and three for the conversation', async () => {
  const read = await ledger.within(async (tx) => {
    const by = { role: 'admin', id: 'admin 1', name: 'Grace' } as const;
    const { sessionId } = await insertChatSession(tx, {
      agentId: 'ada',
      title: 'Bread',
      by,
      repository: null,
      people: [],
    });
    const covered = { agentId: 'ada', agentUid: 'uid', tool: 'say', allowKey: null };
    for (const where of [null, sessionId])
      for (const [tainted, supply] of [
        [false, false],
        [true, false],
        [true, true],
      ] as const) {
        const rule = { ...covered, tainted, supply, sessionId: where, permissionId: randomUUID(), by };
        assert.ok((await insertAllowRule(tx, rule)) !== null);
      }
    const run = (await findRun(tx, await newRun())) ?? assert.fail();
    const message = { ...run, sessionId, createdById: by.id };
    return readRulesFor(tx, message, { ...covered, tainted: false, supply: false });
  });
  assert.deepEqual(
    read.map(({ sessionId }) => sessionId === null),
    [true, true, true, false, false, false],
  );
});

test('only the legal transitions between states are possible', async () => {
  for (const from of PERMISSION_STATES)
    for (const to of PERMISSION_STATES) {
      const { permissionId } = await inState(from);
      const answer = to === 'denied' ? 'deny' : 'allow';
      const isAnswer = from === 'pending' && (to === 'allowed' || to === 'denied');
      const move = sql`
        update permission set state = ${to}
          ${isAnswer ? sql`, answer = ${answer}, answered_at = now(), answered_by_role = 'admin', answered_by_id = 'a', answered_by_name = 'A'` : sql``}
        where permission_id = ${permissionId}`.execute(ledger.db);
      if (LEGAL.has(`${from}>${to}`)) await move;
      else await assert.rejects(move, { code: '23514' }, `${from}>${to}`);
    }
});

test('a request cannot be changed, deleted or inserted as answered, and can be answered only once', async () => {
  const { permissionId } = await ask();
  const set = (assignment: string) =>
    sql`update permission set ${sql.raw(assignment)} where permission_id = ${permissionId}`.execute(ledger.db);
  for (const change of [
    "arguments = '[]', state = 'withdrawn'",
    "tool = 'buy', state = 'withdrawn'",
    "call_id = '9.9', state = 'withdrawn'",
    `policy_version = '${'b'.repeat(64)}', state = 'withdrawn'`,
    "expires_at = expires_at + interval '1 hour', state = 'withdrawn'",
    "opens = '{evil.example.org:443}', state = 'withdrawn'",
    "state = 'allowed'",
  ])
    await assert.rejects(set(change), { code: '23514' }, change);
  await set(
    "state = 'allowed', answer = 'allow', answered_at = now(), answered_by_role = 'admin', answered_by_id = 'a', answered_by_name = 'A'",
  );
  await assert.rejects(set("state = 'consumed', answered_by_id = 'b'"), { code: '23514' });
  await assert.rejects(sql`truncate permission cascade`.execute(ledger.db));
  const asked = await ask();
  const byAgent = ledger.within((tx) =>
    answerPermission(tx, asked.permissionId, {
      answer: 'allow',
      by: { role: 'agent', id: 'ada', name: 'Ada' },
      reply: null,
      usableS: 5,
    }),
  );
  await assert.rejects(byAgent, { code: '23514' });
});

test('an expired permission cannot be allowed or consumed', async () => {
  const { permissionId } = await ask({ lastsS: 0.001 });
  await sql`select pg_sleep(0.01)`.execute(ledger.db);
  const held = await ledger.within((tx) => lockPermission(tx, permissionId));
  assert.equal(held?.isOver, true);
  assert.ok((await readOverduePermissions(ledger.db)).some((row) => row.permissionId === permissionId));
  const answer = ledger.within((tx) =>
    answerPermission(tx, permissionId, { answer: 'allow', by: BY, reply: null, usableS: 600 }),
  );
  await assert.rejects(answer, { code: '23514' });
});

test('the end of a run withdraws its open permissions and prevents new ones', async () => {
  const runId = await newRun();
  await ask({ runId });
  await sql`update run set state = 'cancelled', ended_at = now() where run_id = ${runId}`.execute(ledger.db);
  await ledger.within(async (tx) => {
    assert.equal(await countPermissions(tx, runId, 'withdrawn'), 1);
    assert.equal(await countPermissions(tx, runId), 1);
  });
  await assert.rejects(ask({ runId, request: 'r/2' }), { code: '23514' });
  await sql`delete from run where run_id = ${runId}`.execute(ledger.db);
});

test('an effect needs its own consumed permission, is unique per call, and is settled once', async () => {
  const { permissionId, runId } = await inState('allowed');
  const effect = {
    runId,
    callId: '1.0',
    agentId: 'ada',
    agentUid: 'uid',
    cycle: 1,
    attempt: 1,
    tool: 'say',
    argumentsHash: HASH,
    policyVersion: VERSION,
    permissionId,
  };
  const insert = (made: typeof effect, outcome: unknown = null) =>
    ledger.within((tx) => insertEffect(tx, made, outcome));
  await assert.rejects(insert(effect), { code: '23514' }, 'not consumed');
  await ledger.within((tx) => endPermission(tx, permissionId, 'consumed'));
  await assert.rejects(insert({ ...effect, callId: '1.1' }), { code: '23514' }, 'another call');
  await assert.rejects(insert({ ...effect, tool: 'buy' }), { code: '23514' }, 'another tool');
  await assert.rejects(insert({ ...effect, argumentsHash: new Uint8Array(32) }), { code: '23514' }, 'other arguments');
  await assert.rejects(insert({ ...effect, runId: await newRun() }), { code: '23514' }, 'another run');
  await insert(effect);
  await assert.rejects(insert(effect), { code: '23505' }, 'twice');
  await ledger.within(async (tx) => {
    const begun = await lockEffect(tx, runId, '1.0');
    assert.equal(begun?.state, 'begun');
    if (begun !== null) await settleEffect(tx, begun, { kind: 'ok', text: '' });
  });
  for (const change of ["outcome = '{}'", "state = 'begun', outcome = null, settled_at = null", "tool = 'buy'"])
    await assert.rejects(
      sql`update effect set ${sql.raw(change)} where run_id = ${runId}`.execute(ledger.db),
      { code: '23514' },
      change,
    );
});
