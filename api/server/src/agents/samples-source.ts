import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, Entitlement } from '@hamlet/contract';
import type { EntitlementSpec } from '@hamlet/contract';
import { ensureSampleAgent, listen, readSampleAgents, rebootSample, SAMPLE_AGENTS_CHANNEL, setSamplePower } from '@hamlet/store';
import type { Db, SampleAgentRow } from '@hamlet/store';
import { parse } from 'yaml';
import { accepted, refused } from '../http/outcome.ts';
import type { Log } from '../service/log.ts';
import type { AgentRecord, AgentSource } from './agent-source.ts';

const POLL_MS = 2_000;
const NODES = ['sparky1', 'sparky2'];

interface Samples {
  readonly agents: readonly Agent[];
  readonly entitlements: ReadonlyMap<string, EntitlementSpec>;
}

async function readSamples(folder: string): Promise<Samples> {
  const agents: Agent[] = [];
  const entitlements = new Map<string, EntitlementSpec>();
  for (const name of (await readdir(folder)).filter((file) => /^good-(agent|entitlement)-.*\.yaml$/.test(file)).sort()) {
    const document: unknown = parse(await readFile(join(folder, name), 'utf8'));
    if (name.startsWith('good-agent-')) agents.push(Agent.parse(document));
    else {
      const entitlement = Entitlement.parse(document);
      entitlements.set(entitlement.metadata.name, entitlement.spec);
    }
  }
  return { agents, entitlements };
}

/** The same name has the same uid in every village of samples, as long as its row is kept. */
function uidOf(name: string): string {
  const hex = createHash('sha256').update(`hamlet sample ${name}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

function lowestTier(entitlements: ReadonlyMap<string, EntitlementSpec>): string | undefined {
  return [...entitlements].toSorted(([, a], [, b]) => a.rank - b.rank)[0]?.[0];
}

/** What the operator would have said of a sample agent: there is no operator here, so it runs wherever its row says it is awake. */
function recordOf(sample: Agent, row: SampleAgentRow, place: { readonly tier: string | undefined; readonly node: string }): AgentRecord {
  const asleep = row.power === 'Asleep';
  const at = (row.rebootedAt ?? row.createdAt).toISOString();
  const condition = { status: asleep ? ('True' as const) : ('False' as const), lastTransitionTime: at };
  return {
    agentId: row.agentId,
    uid: row.uid,
    createdAt: row.createdAt.toISOString(),
    spec: { ...sample.spec, power: row.power, ...(row.rebootedAt === null ? {} : { rebootedAt: row.rebootedAt.toISOString() }) },
    status: {
      cycle: row.cycle,
      power: row.power,
      conditions: [
        { type: 'Accepted', status: 'True', reason: 'Accepted', message: 'read from the samples', lastTransitionTime: at },
        { type: 'Suspended', ...condition, reason: row.power, message: asleep ? 'spec.power is Asleep' : 'spec.power is Awake' },
      ],
      ...(place.tier === undefined ? {} : { tier: place.tier }),
      ...(asleep ? {} : { nodeName: place.node, podName: `${row.agentId}-${row.cycle}` }),
    },
    deleting: false,
  };
}

/** Agents and Entitlements of a folder of samples, with their lifecycle in Postgres: for development and tests without a cluster. */
export async function openSamplesSource(ports: { readonly db: Db; readonly listenUrl: string; readonly folder: string; readonly log: Log }): Promise<AgentSource> {
  const { db, log } = ports;
  const samples = await readSamples(ports.folder);
  const hearers: (() => void)[] = [];
  let records = new Map<string, AgentRecord>();
  for (const { metadata } of samples.agents) await ensureSampleAgent(db, metadata.name, uidOf(metadata.name));

  async function refresh(): Promise<void> {
    const rows = new Map((await readSampleAgents(db)).map((row) => [row.agentId, row]));
    const before = JSON.stringify([...records.values()]);
    records = new Map(
      samples.agents.flatMap((sample, index) => {
        const row = rows.get(sample.metadata.name);
        const { policy, name } = sample.spec.entitlement;
        const tier = policy === 'Pinned' ? name : lowestTier(samples.entitlements);
        return row === undefined ? [] : [[row.agentId, recordOf(sample, row, { tier, node: NODES[index % NODES.length] ?? '' })] as const];
      }),
    );
    if (JSON.stringify([...records.values()]) !== before) for (const hear of hearers) hear();
  }
  const refreshQuietly = (): void => void refresh().catch((error: unknown) => log('warn', 'the sample agents were not read', { error }));

  await refresh();
  const listener = listen(ports.listenUrl, [SAMPLE_AGENTS_CHANNEL], refreshQuietly);
  const timer = setInterval(refreshQuietly, POLL_MS);

  async function changed(row: SampleAgentRow, isChanged: boolean): ReturnType<AgentSource['setPower']> {
    await refresh();
    const record = records.get(row.agentId);
    return record === undefined ? refused('no_such_agent') : accepted({ record, changed: isChanged });
  }

  return {
    ready: true,
    list: () => [...records.values()],
    get: (agentId) => records.get(agentId) ?? null,
    entitlement: (name) => samples.entitlements.get(name) ?? null,
    onChange: (hear) => void hearers.push(hear),
    setPower: async (agentId, power) => {
      const result = records.has(agentId) ? await setSamplePower(db, agentId, power) : null;
      return result === null ? refused('no_such_agent') : changed(result.row, result.changed);
    },
    reboot: async (agentId) => {
      if (!records.has(agentId)) return refused('no_such_agent');
      const row = await rebootSample(db, agentId);
      return row === null ? refused('reboot_while_asleep') : changed(row, true);
    },
    close: async () => {
      clearInterval(timer);
      await listener.stop();
    },
  };
}
