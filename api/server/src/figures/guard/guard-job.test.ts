/** The guard over a real Postgres, with readings as a port. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { NodeShortage, PAUSED_MAX } from '@hamlet/contract';
import {
  inTransaction,
  openDatabase,
  pauseAgents,
  readInternalEvents,
  readShortages,
  readTimeline,
} from '@hamlet/store';
import { untilEnd } from '@hamlet/test/env/at-end';
import { migratedPostgres } from '@hamlet/test/env/postgres';
import { Registry } from 'prom-client';
import type { AgentRecord } from '../../agents/agent-source.ts';
import type { Snapshot } from '../snapshot.ts';
import type { HostReading } from '../sources/host-reading.ts';
import { memoryGuardJob, shortagesPart } from './guard-job.ts';

const GIB = 2 ** 30;
const postgres = untilEnd(await migratedPostgres());
const db = openDatabase({ url: postgres.url(), poolSize: 2, onError: () => undefined });
after(() => db.destroy());

const agent = (agentId: string, tier: string, hour: number): AgentRecord =>
  ({
    agentId,
    createdAt: `2026-11-30T0${hour}:00:00Z`,
    deleting: false,
    status: { nodeName: agentId === 'away' ? 'box2' : 'box1', power: 'Awake', tier },
  }) as AgentRecord;
const agents = [
  agent('old', 'tier-0', 1),
  agent('new', 'tier-0', 2),
  agent('rich', 'tier-1', 3),
  agent('away', 'tier-0', 4),
];

const used = (agentId: string) => ({ agent_id: agentId, memory_bytes: 4 * GIB });

let nowMs = Date.parse('2026-11-30T09:00:00Z');
let availableGib = 60;
const reading = (): HostReading => ({
  at: new Date(nowMs).toISOString(),
  totalBytes: 120 * GIB,
  availableBytes: availableGib * GIB,
  cpuPressure: null,
  memoryPressure: null,
  memoryStalled: 1,
  ioPressure: null,
  temperatureCelsius: null,
});
const registry = new Registry();
const ports = {
  db,
  source: { list: () => agents, entitlement: (tier: string) => ({ rank: Number(tier.at(-1)) }) as never },
  figures: {
    // The replica on box1 has measured the agents; the guard names nodes by these figures.
    read: () =>
      Promise.resolve({ nodes: [], agents: agents.map(({ agentId }) => used(agentId)) } as unknown as Snapshot),
    hosts: () => Promise.resolve(new Map([['box1', reading()]])),
  },
  limits: { availablePercent: 5, stalledPercent: 10 },
  now: () => Promise.resolve(new Date(nowMs)),
};
const job = memoryGuardJob({ ...ports, registry });

async function pass(seconds: number, gib: number): Promise<void> {
  nowMs += seconds * 1_000;
  availableGib = gib;
  job.receive(await job.run());
}

const announced = async (): Promise<readonly unknown[]> =>
  (await readInternalEvents(db, 0, 100)).flatMap(({ event, data }) => (event === 'shortage' ? [data] : []));
const acts = async (): Promise<readonly string[]> =>
  (await db.selectFrom('audit').select(['action', 'object']).orderBy('at').orderBy('audit_id').execute())
    .map(({ action, object }) => `${action} ${object}`)
    .toSorted();
const gauge = async (): Promise<string | undefined> =>
  /hamlet_node_memory_short\{node="box1"\} (\d)/.exec(await registry.metrics())?.[1];

test('a short node pauses the newest agent of the lowest tier, a minute later the next, and ends the pauses when it recovers', async () => {
  await pass(15, 60);
  await pass(15, 5.9);
  assert.deepEqual([await readShortages(db), await gauge()], [[], '0'], 'one reading changes nothing');
  await pass(15, 5.9);
  const first: NodeShortage = { node: 'box1', short: true, paused: ['new'] };
  assert.deepEqual([await announced(), await gauge()], [[first], '1']);
  await pass(30, 5.9);
  await pass(30, 5.9);
  const second = { ...first, paused: ['new', 'old'] };
  assert.deepEqual(await announced(), [first, second], 'box2 and the higher tier are spared');
  assert.deepEqual(await inTransaction(db, shortagesPart), [{ event: 'shortage', data: second }]);
  assert.deepEqual(await acts(), ['agent.pause new', 'agent.pause old', 'node.short box1']);
  await pass(15, 30);
  await pass(300, 30);
  assert.deepEqual(await announced(), [first, second, { node: 'box1', short: false, paused: [] }]);
  assert.deepEqual([await readShortages(db), await gauge()], [[], '0']);
  assert.deepEqual((await acts()).at(-2), 'node.recover box1');
  const { rows } = await readTimeline(
    db,
    { agentId: 'new', since: new Date(0), kinds: ['state'], sessionId: null, personId: null },
    { before: null, limit: 10 },
  );
  assert.deepEqual(
    rows.map(({ source }) => source),
    ['pause'],
  );
});

test('a guard that is switched off ends the shortages that exist', async () => {
  await pass(15, 1);
  await pass(15, 1);
  assert.equal((await readShortages(db)).length, 1);
  const off = memoryGuardJob({ ...ports, limits: null, registry: new Registry() });
  off.receive(await off.run());
  assert.deepEqual([await readShortages(db), (await announced()).length], [[], 5]);
});

test('a shortage ends ten minutes after the last reading, even while Redis is away', async () => {
  await pass(15, 1);
  await pass(15, 1);
  const away = () => Promise.reject(new Error('Redis does not answer'));
  const blind = memoryGuardJob({ ...ports, figures: { ...ports.figures, read: away }, registry: new Registry() });
  assert.equal(blind.by, 'postgres', 'Redis starts no job while it is away');
  const wait = async (seconds: number): Promise<number> => {
    nowMs += seconds * 1_000;
    blind.receive(await blind.run());
    return (await readShortages(db)).length;
  };
  assert.deepEqual([await wait(599), await wait(1)], [1, 0]);
});

test('the list of paused agents never exceeds what the operator reads', async () => {
  await pass(15, 1);
  const crowd = Array.from({ length: PAUSED_MAX - 1 }, (_, at) => `crowd-${at}`);
  await inTransaction(db, (tx) => pauseAgents(tx, 'box1', crowd));
  await pass(15, 1);
  await pass(60, 1);
  const [event] = await inTransaction(db, shortagesPart);
  assert.equal(NodeShortage.parse(event?.data).paused.length, PAUSED_MAX);
});
