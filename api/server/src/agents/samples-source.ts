import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, Entitlement, type AgentStatus, type EntitlementSpec, type Standing } from '@hamlet/contract';
import {
  ensureSampleAgent,
  INTERNAL_EVENTS_CHANNEL,
  readSampleAgents,
  readStandings,
  rebootSample,
  SAMPLE_AGENTS_CHANNEL,
  setSamplePower,
} from '@hamlet/store';
import type { Db, SampleAgentRow } from '@hamlet/store';
import { accepted, refused } from '../http/outcome.ts';
import type { Log } from '../service/log.ts';
import type { AgentRecord, AgentSource } from './agent-source.ts';
import type { Notifications } from '../service/notifications.ts';

const POLL_MS = 2_000;
const NODES = ['sparky1', 'sparky2'];

interface Samples {
  readonly agents: readonly Agent[];
  readonly entitlements: ReadonlyMap<string, EntitlementSpec>;
}

async function readSamples(folder: string): Promise<Samples> {
  // Loaded lazily, because an API on Kubernetes reads no files.
  const { parse } = await import('yaml');
  const agents: Agent[] = [];
  const entitlements = new Map<string, EntitlementSpec>();
  for (const name of (await readdir(folder))
    .filter((file) => /^good-(agent|entitlement)-.*\.yaml$/.test(file))
    .sort()) {
    const document: unknown = parse(await readFile(join(folder, name), 'utf8'));
    if (name.startsWith('good-agent-')) agents.push(Agent.parse(document));
    else {
      const entitlement = Entitlement.parse(document);
      entitlements.set(entitlement.metadata.name, entitlement.spec);
    }
  }
  return { agents, entitlements };
}

/** The uid of a sample. It derives from the name, so it is the same in every village. */
function uidOf(name: string): string {
  const hex = createHash('sha256').update(`hamlet sample ${name}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

function lowestTier(entitlements: ReadonlyMap<string, EntitlementSpec>): string | undefined {
  return [...entitlements].toSorted(([, a], [, b]) => a.rank - b.rank)[0]?.[0];
}

interface Circumstances {
  readonly tier: string | undefined;
  readonly node: string;
  readonly standing: Standing | undefined;
  readonly idle: boolean;
}

function heldAgainst(standing: Standing | undefined): 'Killed' | 'Banned' | 'Quarantined' | 'Frozen' | undefined {
  if (standing?.killed === true) return 'Killed';
  if (standing?.banned === true) return 'Banned';
  if (standing?.quarantined === true) return 'Quarantined';
  return standing?.frozen === true ? 'Frozen' : undefined;
}

function conditionsOf(row: SampleAgentRow, { standing, tier }: Circumstances): NonNullable<AgentStatus['conditions']> {
  const lastTransitionTime = (row.rebootedAt ?? row.createdAt).toISOString();
  const held = heldAgainst(standing);
  const condition = (
    type: string,
    holds: boolean,
    about: { readonly reason: string; readonly message: string },
  ): NonNullable<AgentStatus['conditions']>[number] => ({
    type,
    status: holds ? 'True' : 'False',
    ...about,
    lastTransitionTime,
  });
  const why = { reason: held ?? 'ByBalance', message: standing?.reason ?? `the tier is ${tier ?? 'none'}` };
  return [
    condition('Accepted', true, { reason: 'Accepted', message: 'read from the samples' }),
    condition('Entitled', held === undefined, why),
    condition('Suspended', row.power === 'Asleep', {
      reason: row.power,
      message:
        row.power === 'Asleep'
          ? 'spec.power is Asleep: write Awake to let the agent run'
          : 'spec.power is Awake, or left out',
    }),
    condition(
      'Quarantined',
      held === 'Quarantined',
      held === 'Quarantined' ? why : { reason: 'NotQuarantined', message: '' },
    ),
  ];
}

function recordOf(sample: Agent, row: SampleAgentRow, circumstances: Circumstances): AgentRecord {
  const { tier, node, standing, idle } = circumstances;
  const runs = row.power === 'Awake' && heldAgainst(standing) === undefined;
  return {
    agentId: row.agentId,
    uid: row.uid,
    createdAt: row.createdAt.toISOString(),
    spec: {
      ...sample.spec,
      power: row.power,
      ...(row.rebootedAt === null ? {} : { rebootedAt: row.rebootedAt.toISOString() }),
    },
    status: {
      cycle: row.cycle,
      power: row.power,
      conditions: conditionsOf(row, circumstances),
      ...(tier === undefined ? {} : { tier }),
      ...(runs ? { nodeName: node, podName: `${row.agentId}-${row.cycle}` } : {}),
    },
    deleting: false,
    ...(idle && row.power === 'Asleep' ? { idle: true } : {}),
  };
}

function recordsOf(
  samples: Samples,
  rows: readonly SampleAgentRow[],
  { standings, idle }: { readonly standings: readonly Standing[]; readonly idle: ReadonlySet<string> },
): ReadonlyMap<string, AgentRecord> {
  const rowOf = new Map(rows.map((row) => [row.agentId, row]));
  const standingOf = new Map(standings.map((standing) => [standing.agent_id, standing]));
  return new Map(
    samples.agents.flatMap((sample, index) => {
      const row = rowOf.get(sample.metadata.name);
      const { policy, name } = sample.spec.entitlement;
      const standing = standingOf.get(sample.metadata.name);
      const tier = policy === 'Pinned' ? name : (standing?.balance_tier ?? lowestTier(samples.entitlements));
      return row === undefined
        ? []
        : [
            [
              row.agentId,
              recordOf(sample, row, {
                tier,
                node: NODES[index % NODES.length] ?? '',
                standing,
                idle: idle.has(row.agentId),
              }),
            ] as const,
          ];
    }),
  );
}

interface SamplePlace {
  readonly db: Db;
  readonly idle: Set<string>;
  readonly record: (agentId: string) => AgentRecord | undefined;
  readonly refresh: () => Promise<void>;
}

function lifeOf(place: SamplePlace): Pick<AgentSource, 'setPower' | 'sleepIdle' | 'wakeIdle' | 'reboot'> {
  async function changed(row: SampleAgentRow, isChanged: boolean): ReturnType<AgentSource['setPower']> {
    await place.refresh();
    const record = place.record(row.agentId);
    return record === undefined ? refused('no_such_agent') : accepted({ record, changed: isChanged });
  }

  return {
    setPower: async (agentId, power) => {
      const wasIdle = place.idle.delete(agentId);
      const result = place.record(agentId) !== undefined ? await setSamplePower(place.db, agentId, power) : null;
      return result === null ? refused('no_such_agent') : changed(result.row, result.changed || wasIdle);
    },
    sleepIdle: async (agentId) => {
      const result = place.record(agentId) !== undefined ? await setSamplePower(place.db, agentId, 'Asleep') : null;
      if (result === null) return refused('no_such_agent');
      if (result.changed) place.idle.add(agentId);
      return changed(result.row, result.changed);
    },
    wakeIdle: async (agentId) => {
      const record = place.record(agentId);
      if (record === undefined) return refused('no_such_agent');
      if (record.idle !== true) return accepted({ record, changed: false });
      place.idle.delete(agentId);
      const result = await setSamplePower(place.db, agentId, 'Awake');
      return result === null ? refused('no_such_agent') : changed(result.row, result.changed);
    },
    reboot: async (agentId) => {
      if (place.record(agentId) === undefined) return refused('no_such_agent');
      const row = await rebootSample(place.db, agentId);
      return row === null ? refused('reboot_while_asleep') : changed(row, true);
    },
  };
}

export async function openSamplesSource(ports: {
  readonly db: Db;
  readonly notifications: Notifications;
  readonly folder: string;
  readonly log: Log;
}): Promise<AgentSource> {
  const { db, log } = ports;
  const samples = await readSamples(ports.folder);
  const callbacks: (() => void)[] = [];
  let records: ReadonlyMap<string, AgentRecord> = new Map();
  // Kept in memory only: after a restart, an idle agent sleeps until a person wakes it.
  const idle = new Set<string>();
  for (const { metadata } of samples.agents) await ensureSampleAgent(db, metadata.name, uidOf(metadata.name));

  async function refresh(): Promise<void> {
    const before = JSON.stringify([...records.values()]);
    records = recordsOf(samples, await readSampleAgents(db), { standings: await readStandings(db), idle });
    if (JSON.stringify([...records.values()]) !== before) for (const callback of callbacks) callback();
  }
  const refreshQuietly = (): void =>
    void refresh().catch((error: unknown) =>
      log('warn', 'the sample agents were not read; the API retries', { error }),
    );

  await refresh();
  for (const channel of [SAMPLE_AGENTS_CHANNEL, INTERNAL_EVENTS_CHANNEL])
    ports.notifications.on(channel, refreshQuietly);
  const timer = setInterval(refreshQuietly, POLL_MS);

  return {
    ready: true,
    list: () => [...records.values()],
    get: (agentId) => records.get(agentId) ?? null,
    entitlement: (name) => samples.entitlements.get(name) ?? null,
    entitlements: () =>
      [...samples.entitlements].map(([name, spec]) => ({
        name,
        spec,
        status: { agents: [...records.values()].filter(({ status }) => status.tier === name).length },
      })),
    onChange: (callback) => void callbacks.push(callback),
    ...lifeOf({ db, idle, record: (agentId) => records.get(agentId), refresh }),
    close: async () => clearInterval(timer),
  };
}
