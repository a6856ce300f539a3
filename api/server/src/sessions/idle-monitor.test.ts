/** Idle sleep and waking on a real Postgres. The source of agents is a fake that records the writes to it. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import { AgentSpec } from '@hamlet/contract';
import { inTransaction, insertChatSession, insertMessage, insertRuns, openDatabase, openLife } from '@hamlet/store';
import { readAudit, setPaused } from '@hamlet/store';
import { migratedPostgres } from '@hamlet/test/env/postgres';
import { untilEnd } from '@hamlet/test/env/at-end';
import type { AgentRecord } from '../agents/agent-source.ts';
import { actingAs, recordAct } from '../audit/record-act.ts';
import { accepted, refused } from '../http/outcome.ts';
import { keepRest, type RestPorts } from './idle-monitor.ts';

let agentId: string;
let record: AgentRecord;
/** An error or refusal of the next write. */
let trouble: 'none' | 'throws' | 'refused';
const logs: string[] = [];

const postgres = untilEnd(await migratedPostgres());
const owner = untilEnd(openDatabase({ url: postgres.url(), poolSize: 1, onError: () => undefined }));
const db = untilEnd(openDatabase({ url: postgres.appUrl, poolSize: 2, onError: () => undefined }));
let count = 0;
beforeEach(async () => {
  count += 1;
  agentId = `ada-${count}`;
  trouble = 'none';
  const spec = AgentSpec.parse({ idleSleepAfter: '1h' });
  const createdAt = '2026-11-22T00:00:00Z';
  record = { agentId, uid: randomUUID(), createdAt, spec, status: { cycle: 1 }, deleting: false };
  await openLife(db, record.uid, agentId);
  logs.length = 0;
});

async function write(power: 'Awake' | 'Asleep', idle: boolean): ReturnType<RestPorts['source']['sleepIdle']> {
  if (trouble === 'throws') throw new Error('the API server is unreachable');
  if (trouble === 'refused') return refused('field_owned_elsewhere', 'spec.power is managed by "argo"');
  const { idle: _, ...rest } = record;
  record = { ...rest, spec: { ...record.spec, power }, ...(idle ? { idle: true as const } : {}) };
  return accepted({ record, changed: true });
}

const ports = (others: readonly AgentRecord[] = []): RestPorts => ({
  db,
  source: {
    list: () => [record, ...others],
    sleepIdle: (id) => (id === agentId ? write('Asleep', true) : Promise.reject(new Error(`${id} was changed`))),
    wakeIdle: () => write('Awake', false),
  },
  log: (_level, message) => void logs.push(message),
  monotonicMs: () => performance.now(),
});
const keep = (): Promise<void> => keepRest(ports(), new Map());

/** Moves the beginning of the agent's life and its sessions two hours into the past. */
async function hoursPass(): Promise<void> {
  const before = new Date(Date.now() - 7_200_000);
  await owner.updateTable('agent_life').set({ opened_at: before }).where('agent_id', '=', agentId).execute();
  await owner.updateTable('session').set({ last_at: before }).where('agent_id', '=', agentId).execute();
}

async function sendMessage(): Promise<string> {
  return inTransaction(db, async (tx) => {
    const mia = { id: 'account mia', name: 'Mia' };
    const by = { role: 'member', id: mia.id } as const;
    const { sessionId } = await insertChatSession(tx, { agentId, title: null, repository: null, by, people: [mia] });
    const given = { agentId, agentUid: record.uid, prompt: 'Hello', createdByRole: 'member', createdById: mia.id };
    const [run] = await insertRuns(tx, [{ ...given, kind: 'message', schedule: null, sessionId }]);
    assert.ok(run);
    const author = { ...mia, role: 'member' } as const;
    const message = { sessionId, author, text: 'Hello', runId: run.runId, inReplyTo: null, cost: null };
    await insertMessage(tx, { ...message, state: 'queued' }, null);
    return sessionId;
  });
}
const acts = async (): Promise<readonly string[]> =>
  (await readAudit(db, agentId, 10)).map(({ actorId, action }) => `${actorId} ${action}`);

/** An agent that the village has put to sleep. */
async function asleep(): Promise<void> {
  await hoursPass();
  await keep();
  assert.deepEqual([record.spec.power, record.idle], ['Asleep', true]);
}

test('an agent sleeps after its idle time, in the name of the village', async () => {
  await keep();
  assert.equal(record.spec.power, 'Awake');
  await asleep();
  assert.deepEqual(await acts(), ['village sleep_idle']);
  await keep();
  assert.equal(record.spec.power, 'Asleep');
});

test('a message keeps an agent awake, or wakes an idle one, in the name of its author', async () => {
  await asleep();
  await sendMessage();
  await keep();
  assert.deepEqual([record.spec.power, record.idle], ['Awake', undefined]);
  assert.deepEqual((await acts())[0], 'account mia wake_idle');
  await hoursPass();
  await keep();
  assert.equal(record.spec.power, 'Awake');
});

test('a message does not wake an agent if its session is paused or the agent has wake Never', async () => {
  await asleep();
  const sessionId = await sendMessage();
  await inTransaction(db, (tx) => setPaused(tx, sessionId, true));
  await keep();
  assert.equal(record.spec.power, 'Asleep');
  await inTransaction(db, (tx) => setPaused(tx, sessionId, false));
  record = { ...record, spec: { ...record.spec, wake: 'Never' } };
  await keep();
  assert.equal(record.spec.power, 'Asleep');
  record = { ...record, spec: { ...record.spec, wake: 'OnMessage' } };
  await keep();
  assert.equal(record.spec.power, 'Awake');
});

test('an agent that a person suspended stays asleep, and so does one under a measure', async () => {
  const { idle: _, ...awake } = record;
  record = { ...awake, spec: { ...record.spec, power: 'Asleep' } };
  await sendMessage();
  await keep();
  assert.equal(record.spec.power, 'Asleep');
  record = { ...record, idle: true };
  const ban = {
    agent_id: agentId,
    measure: 'ban',
    reason: 'x',
    by_role: 'admin',
    by_id: 'x',
    expires_at: null,
  } as const;
  await owner.insertInto('standing_measure').values(ban).execute();
  await keep();
  assert.equal(record.spec.power, 'Asleep');
  const lifted = { lifted_at: new Date(), lifted_by_role: 'admin', lifted_by_id: 'x' };
  await owner.updateTable('standing_measure').set(lifted).where('agent_id', '=', agentId).execute();
  await keep();
  assert.equal(record.spec.power, 'Awake');
});

test('acts of others keep an agent awake; its own turns do not', async () => {
  await hoursPass();
  const note = (role: 'agent' | 'kubernetes') =>
    recordAct(db, actingAs(role, 'x'), { action: 'turn', object: agentId, detail: {} });
  await note('agent');
  await keep();
  assert.equal(record.spec.power, 'Asleep');
  await write('Awake', false);
  await note('kubernetes');
  await keep();
  assert.equal(record.spec.power, 'Awake');
});

test('a failed change is logged and retried after a minute, and delays no other agent', async () => {
  await hoursPass();
  const failures = new Map<string, number>();
  for (const kind of ['throws', 'refused'] as const) {
    trouble = kind;
    failures.clear();
    await keepRest(ports(), failures);
    await keepRest(ports(), failures);
    assert.equal(failures.has(agentId), true);
  }
  assert.equal(logs.length, 2);
  trouble = 'none';
  failures.set(agentId, performance.now());
  await keepRest(ports(), failures);
  assert.equal(record.spec.power, 'Asleep');
});
