import { createHash } from 'node:crypto';
import { AgentSpec } from '@hamlet/contract';
import type { WorldState } from '@hamlet/core';
import type { AgentRecord, AgentSource } from '@hamlet/server';
import { appendBatch, dropLease, takeLease, type Db } from '@hamlet/store';
import { agentName, populate } from './walkers.ts';

const LEASE_MS = 60_000;
const ROWS_AT_ONCE = 5_000;
const REFUSAL = { ok: false, reason: 'no_such_agent' } as const;

function uidOf(agentId: string): string {
  return createHash('sha256').update(agentId).digest('hex').slice(0, 36);
}

/** Writes the village that the API will recover: all agents exist, and each has a life that has not ended. */
export async function seedVillage(
  db: Db,
  world: WorldState,
  setting: { readonly agents: number; readonly seed: number },
): Promise<void> {
  const events = populate(world, setting.agents, setting.seed);
  const epoch = await takeLease(db, 'bench', LEASE_MS);
  if (epoch === null) throw new Error('another process holds the world lease of the benchmark database');
  const home = world.map.landmarks[0]?.landmark_id ?? '';
  for (let at = 0; at < events.length; at += ROWS_AT_ONCE) {
    const some = events.slice(at, at + ROWS_AT_ONCE);
    await appendBatch(db, { epoch, events: some, moves: null, answers: [], audits: [] });
    const lives = some
      .map((event) => ('agent_id' in event ? { uid: uidOf(event.agent_id), agent_id: event.agent_id, home } : null))
      .filter((life) => life !== null);
    await db.insertInto('agent_life').values(lives).execute();
  }
  await dropLease(db, epoch);
}

/** The agents of the benchmark, in place of a cluster's: all are awake and never change. */
export function benchAgents(count: number): AgentSource {
  const records = Array.from({ length: count }, (_, index): AgentRecord => {
    const agentId = agentName(index);
    const spec = AgentSpec.parse({ displayName: `Agent ${index}` });
    return {
      agentId,
      uid: uidOf(agentId),
      createdAt: new Date(0).toISOString(),
      deleting: false,
      status: { cycle: 1, power: 'Awake' },
      spec,
    };
  });
  const byId = new Map(records.map((record) => [record.agentId, record]));
  return {
    ready: true,
    list: () => records,
    get: (agentId) => byId.get(agentId) ?? null,
    entitlement: () => null,
    entitlements: () => [],
    onChange: () => undefined,
    setPower: async () => REFUSAL,
    sleepIdle: async () => REFUSAL,
    wakeIdle: async () => REFUSAL,
    reboot: async () => REFUSAL,
    close: async () => undefined,
  };
}
