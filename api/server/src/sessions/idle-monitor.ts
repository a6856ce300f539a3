import { durationMs } from '@hamlet/contract';
import { decideRest, type RestFacts } from '@hamlet/core';
import { forgetIdleSleep, noteIdleSleep, readBars, readRest, type Db, type RestRow } from '@hamlet/store';
import { writtenLife, type AgentRecord, type AgentSource, type LifecycleChange } from '../agents/agent-source.ts';
import { actingAs, type Acting } from '../audit/record-act.ts';
import { accepted, type Outcome } from '../http/outcome.ts';
import { writeCluster } from '../resource-writes/write-cluster.ts';
import { barsRuns } from '../runs/work-limits.ts';
import { job } from '../service/jobs.ts';
import type { Log } from '../service/log.ts';
import { coalesce } from '../service/single-flight.ts';

const EVERY_MS = 2_000;
const AT_ONCE = 200;
const RETRY_MS = 60_000;

export interface RestPorts {
  readonly db: Db;
  readonly source: Pick<AgentSource, 'list' | 'sleepIdle' | 'wakeIdle'>;
  readonly log: Log;
  readonly monotonicMs: () => number;
}

/** Agents whose last change failed, each with the time of the next attempt by the monotonic clock. */
export type Failures = Map<string, number>;

function mayChange({ spec, idle }: AgentRecord): boolean {
  return idle === true || (spec.power !== 'Asleep' && spec.idleSleepAfter !== undefined);
}

interface Found {
  readonly record: AgentRecord;
  readonly row: RestRow;
  readonly barred: boolean;
}

function workOf({ work }: RestRow): RestFacts['work'] {
  if (work === null) return null;
  return work.kind === 'message' ? 'message' : 'other';
}

function factsOf({ record, row, barred }: Found): RestFacts {
  const { spec, idle, deleting } = record;
  const ms = (at: Date | null): number | null => (at === null ? null : at.getTime());
  return {
    power: spec.power === 'Asleep' ? 'Asleep' : 'Awake',
    idle: idle === true,
    wake: spec.wake,
    idleSleepAfterMs: spec.idleSleepAfter === undefined ? null : durationMs(spec.idleSleepAfter),
    held: deleting || barred,
    work: workOf(row),
    activeAtMs: ms(row.activeAt),
    addressedAtMs: ms(row.addressedAt),
    asleepSinceMs: ms(row.asleepSince),
    nowMs: row.now.getTime(),
  };
}

async function changePower(
  db: Db,
  { agentId, uid }: AgentRecord,
  act: { readonly by: Acting; readonly action: string; readonly write: () => Promise<Outcome<LifecycleChange>> },
): Promise<Outcome<unknown>> {
  const { by, action, write } = act;
  const answered = await writeCluster(db, {
    key: { actor: 'system village', key: `${action} ${uid}`, hash: Buffer.alloc(0) },
    keepsAnswer: false,
    by,
    kind: 'Agent',
    name: agentId,
    action,
    write: async () => writtenLife(await write()),
    detail: () => ({ uid }),
    answer: ({ changed }) => accepted({ changed }),
  });
  return answered.outcome;
}

function wakerOf({ work }: RestRow): Acting {
  return { ...actingAs('system', 'village'), ...(work === null ? {} : { actor: { role: work.role, id: work.id } }) };
}

/** Carries out core's decision about an agent. False if the write was refused. */
async function carryOut({ db, source, log }: RestPorts, found: Found): Promise<boolean> {
  const { record, row } = found;
  const { agentId, uid } = record;
  if (record.idle === true && row.asleepSince === null) await noteIdleSleep(db, agentId, uid);
  const verdict = decideRest(factsOf(found));
  if (verdict === 'stay') return true;
  const act =
    verdict === 'sleep'
      ? { by: actingAs('system', 'village'), action: 'sleep_idle', write: () => source.sleepIdle(agentId) }
      : { by: wakerOf(row), action: 'wake_idle', write: () => source.wakeIdle(agentId) };
  const outcome = await changePower(db, record, act);
  if (!outcome.ok) {
    log('warn', `${act.action} of an agent was refused`, { agent_id: agentId, ...outcome });
    return false;
  }
  if (verdict === 'sleep') await noteIdleSleep(db, agentId, uid);
  else await forgetIdleSleep(db, [agentId]);
  return true;
}

/** Checks every agent that sleeps or may sleep because it is idle. A failing agent does not delay the others. */
export async function keepRest(ports: RestPorts, failures: Failures): Promise<void> {
  const { db, source, monotonicMs, log } = ports;
  for (const [agentId, retryMs] of failures) if (retryMs <= monotonicMs()) failures.delete(agentId);
  const records = source.list().filter((record) => mayChange(record) && !failures.has(record.agentId));
  for (let from = 0; from < records.length; from += AT_ONCE) {
    const batch = records.slice(from, from + AT_ONCE);
    const rows = new Map((await readRest(db, batch)).map((row) => [row.agentId, row]));
    const bars = await readBars(
      db,
      batch.map(({ agentId }) => agentId),
    );
    for (const record of batch) {
      const row = rows.get(record.agentId);
      if (row === undefined) continue;
      const found = { record, row, barred: barsRuns(bars.get(record.agentId)) };
      const done = await carryOut(ports, found).catch((error: unknown) => {
        log('warn', 'an agent was neither put to sleep nor awakened', { agent_id: record.agentId, error });
        return false;
      });
      if (!done) failures.set(record.agentId, monotonicMs() + RETRY_MS);
    }
  }
}

export function createIdleMonitor(ports: RestPorts) {
  const failures: Failures = new Map();
  const keep = coalesce(() => keepRest(ports, failures));
  return {
    // The job checks again if this fails.
    look: (): void => void keep().catch((error: unknown) => ports.log('warn', 'an agent was not awakened', { error })),
    jobs: [job({ name: 'idle-sleep', everyMs: EVERY_MS, run: keep })],
  };
}
