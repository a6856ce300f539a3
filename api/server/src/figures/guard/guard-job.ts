import {
  announceShortages,
  endPauses,
  forgetPauses,
  inTransaction,
  lockShortages,
  pauseAgents,
  putShortage,
  readBoosts,
  readShortages,
  shortageEvent,
  type Db,
  type ShortageRow,
  type Tx,
} from '@hamlet/store';
import { Gauge, type Registry } from 'prom-client';
import { z } from 'zod';
import { FIGURES_EVERY_S, PAUSED_MAX } from '@hamlet/contract';
import type { AgentSource } from '../../agents/agent-source.ts';
import { actingAs, recordAct } from '../../audit/record-act.ts';
import type { SnapshotPart } from '../../operator/internal-feed.ts';
import { sharedJob, type Job } from '../../service/jobs.ts';
import type { FiguresStore } from '../figures-store.ts';
import type { HostReading } from '../sources/host-reading.ts';
import { agentsToPause, judgeNode, type Candidate, type GuardLimits, type Judgement } from './memory-guard.ts';

const EVERY_MS = FIGURES_EVERY_S * 1_000;
/** Rank of an agent that has bought a better place: above every tier, because it has paid for it. */
const BOUGHT_RANK = 2_000;
/** The use of an agent without a measure, in bytes. */
const ASSUMED_BYTES = 256 << 20;

interface Ports {
  readonly db: Db;
  readonly source: Pick<AgentSource, 'list' | 'entitlement'>;
  readonly figures: Pick<FiguresStore, 'read' | 'hosts'>;
  /** Null if the guard is off: it then ends the shortages that exist. */
  readonly limits: GuardLimits | null;
  readonly registry: Registry;
  /** The clock of the database: a guard continues what one on another machine has begun. */
  readonly now: (tx: Tx) => Promise<Date>;
}

export const shortagesPart: SnapshotPart = async (tx) =>
  (await readShortages(tx)).map((each) => ({ event: 'shortage', data: shortageEvent(each) }));

/** Readings of machines, and the memory of agents in bytes. */
interface Measured {
  readonly hosts: ReadonlyMap<string, HostReading>;
  readonly memory: ReadonlyMap<string, number>;
}

const UNMEASURED: Measured = { hosts: new Map(), memory: new Map() };

/** Without Redis, which the store of figures reports, there are no readings: a shortage then ends after its time. */
async function measure({ figures, limits }: Ports): Promise<Measured> {
  if (limits === null) return UNMEASURED;
  try {
    const { nodes, agents } = await figures.read();
    const hosts = await figures.hosts(nodes.map(({ name }) => name));
    return { hosts, memory: new Map(agents.map(({ agent_id: id, memory_bytes: bytes }) => [id, bytes])) };
  } catch {
    return UNMEASURED;
  }
}

type Known = Pick<Ports, 'source'> & Measured;

/** The agents that the next step on a node pauses. */
async function nextOn(
  tx: Tx,
  { node, missingBytes }: Readonly<{ node: string; missingBytes: number }>,
  { source, memory }: Known,
): Promise<readonly string[]> {
  const paused = new Set((await readShortages(tx)).flatMap((each) => (each.node === node ? each.paused : [])));
  const boosted = new Set((await readBoosts(tx)).map(({ agent_id: id }) => id));
  const candidates = source.list().flatMap(({ agentId, createdAt, deleting, status }): Candidate[] => {
    const runsHere = status.nodeName === node && status.power === 'Awake' && !deleting;
    if (!runsHere || paused.has(agentId)) return [];
    const ofTier = status.tier === undefined ? 0 : (source.entitlement(status.tier)?.rank ?? 0);
    const rank = boosted.has(agentId) ? BOUGHT_RANK : ofTier;
    return [{ agentId, createdAt, rank, memoryBytes: memory.get(agentId) ?? ASSUMED_BYTES }];
  });
  // The operator refuses a longer list, and would then receive nothing more from the village.
  return agentsToPause(candidates, missingBytes).slice(0, Math.max(0, PAUSED_MAX - paused.size));
}

const ACTING = actingAs('system', 'memory-guard');

/** Records a step; each paused agent gets a line in the audit and, by its pause, one in its timeline. */
async function pause(tx: Tx, node: string, agentIds: readonly string[]): Promise<void> {
  await pauseAgents(tx, node, agentIds);
  for (const agentId of agentIds)
    await recordAct(tx, ACTING, { action: 'agent.pause', object: agentId, detail: { node, reason: 'memory' } });
}

interface Step {
  readonly node: string;
  readonly before: ShortageRow | null;
  readonly reading: HostReading | undefined;
  readonly judged: Judgement;
}

const isShort = (row: ShortageRow | null): boolean => row !== null && row.since !== null;

type Seen = Omit<Step, 'judged'> & { readonly now: Date };

const judge = (limits: GuardLimits | null, { node, before, reading, now }: Seen): Judgement =>
  limits === null ? { state: null } : judgeNode(before, { node, reading, limits, now });

/** Begins or ends a shortage, with its line in the audit. Resolves with true if it did either. */
async function turn(tx: Tx, { node, before, reading, judged: { state } }: Step): Promise<boolean> {
  if (isShort(before) === isShort(state)) return false;
  const figures = { available_bytes: reading?.availableBytes ?? null, stalled_percent: reading?.memoryStalled ?? null };
  const act = isShort(state)
    ? { action: 'node.short', detail: { reason: 'memory', ...figures } }
    : { action: 'node.recover', detail: { agents: await endPauses(tx, node), ...figures } };
  await recordAct(tx, ACTING, { ...act, object: node });
  return true;
}

/** Stores the next state of a node. Resolves with true if the operator must know it. */
async function carryOut(tx: Tx, step: Step, known: Known): Promise<boolean> {
  const { node, before, judged } = step;
  if (judged.state !== before) await putShortage(tx, node, judged.state);
  const hasTurned = await turn(tx, step);
  const { missingBytes } = judged;
  if (missingBytes === undefined) return hasTurned;
  await pause(tx, node, await nextOn(tx, { node, missingBytes }, known));
  return true;
}

async function guard(tx: Tx, ports: Ports, measured: Measured): Promise<void> {
  const states = new Map((await lockShortages(tx)).map((row) => [row.node, row]));
  const now = await ports.now(tx);
  const changed: string[] = [];
  for (const node of new Set([...states.keys(), ...measured.hosts.keys()])) {
    const seen = { node, before: states.get(node) ?? null, reading: measured.hosts.get(node) };
    const step = { ...seen, judged: judge(ports.limits, { ...seen, now }) };
    if (await carryOut(tx, step, { ...ports, ...measured })) changed.push(node);
  }
  await forgetPauses(tx);
  await announceShortages(tx, changed);
}

const Result = z.array(z.strictObject({ node: z.string(), short: z.boolean() })).max(1_024);

/**
 * Watches the memory of nodes: on a short one it pauses agents, the lowest tier first, until the node recovers. One
 * replica at a time, also without Redis, so that no agent waits for Redis to return.
 */
export function memoryGuardJob(ports: Ports): Job {
  const gauge = new Gauge({
    name: 'hamlet_node_memory_short',
    help: '1 while a node is short of memory and gives agents no seats, otherwise 0',
    labelNames: ['node'],
    registers: [ports.registry],
  });
  const shared = sharedJob({
    name: 'memory-guard',
    everyMs: EVERY_MS,
    result: Result,
    run: async () => {
      const measured = await measure(ports);
      await inTransaction(ports.db, (tx) => guard(tx, ports, measured));
      const short = new Set((await readShortages(ports.db)).map(({ node }) => node));
      return [...new Set([...measured.hosts.keys(), ...short])].map((node) => ({ node, short: short.has(node) }));
    },
    receive: (nodes) => {
      gauge.reset();
      for (const { node, short } of nodes) gauge.set({ node }, short ? 1 : 0);
    },
  });
  return { ...shared, by: 'postgres' };
}
