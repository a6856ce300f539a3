import { FLAG_OF_MEASURE, MEASURES, type EgressCurrent, type EgressStopped, type Standing } from '@hamlet/contract';
import type { AgentRecord, AgentSource } from '../agents/agent-source.ts';
import type { FreezeCache } from '../freeze/freeze-cache.ts';
import type { EventSink } from '../http/event-sink.ts';
import { CODE_OF_MEASURE } from '../standing/bar-refusal.ts';
import type { StandingCache } from '../standing/standing-cache.ts';
import type { VillageSettings } from '../settings/village-settings.ts';
import type { EgressOf } from './egress-of.ts';

/** Changes of agents arrive in bursts, so each burst is compared once. Measures and freezes are sent at once. */
const GATHER_MS = 200;

type BrokerFact =
  | { readonly event: 'stopped'; readonly data: EgressStopped }
  | { readonly event: 'current'; readonly data: EgressCurrent };

interface BrokerFactPorts {
  readonly standingOf: (agentId: string) => Standing;
  readonly isFrozen: boolean;
  readonly versionOf: (agentId: string) => string;
}

function reasonOf({ deleting }: AgentRecord, standing: Standing, isFrozen: boolean): EgressStopped['reason'] | null {
  const measure = MEASURES.find((each) => standing[FLAG_OF_MEASURE[each]]);
  if (measure !== undefined) return CODE_OF_MEASURE[measure];
  if (isFrozen) return 'village_frozen';
  return deleting ? 'life_ended' : null;
}

function brokerFact(record: AgentRecord, { standingOf, isFrozen, versionOf }: BrokerFactPorts): BrokerFact {
  const { agentId: agent, uid } = record;
  const reason = reasonOf(record, standingOf(agent), isFrozen);
  if (reason !== null) return { event: 'stopped', data: { uid, agent, reason } };
  return { event: 'current', data: { uid, cycle: record.status.cycle ?? 0, version: versionOf(agent) } };
}

export interface BrokerFeedPorts {
  readonly source: Pick<AgentSource, 'list' | 'onChange'>;
  readonly standing: Pick<StandingCache, 'get' | 'onChange'>;
  readonly freeze: Pick<FreezeCache, 'frozen' | 'onChange'>;
  readonly egressOf: EgressOf;
  readonly settings: Pick<VillageSettings, 'onChange'>;
}

export class BrokerFeed {
  readonly #ports: BrokerFeedPorts;
  readonly #sinks = new Set<EventSink>();
  #known = new Map<string, { readonly agent: string; readonly text: string }>();
  #gathering: NodeJS.Timeout | null = null;

  constructor(ports: BrokerFeedPorts) {
    this.#ports = ports;
    ports.source.onChange(() => {
      this.#gathering ??= setTimeout(() => this.#compare(), GATHER_MS).unref();
    });
    ports.standing.onChange(() => this.#compare());
    ports.freeze.onChange(() => this.#compare());
    ports.settings.onChange(() => this.#compare());
  }

  open(sink: EventSink): () => void {
    this.#compare();
    for (const { event, data } of this.#facts()) sink.send(event, data);
    sink.send('synced', {});
    this.#sinks.add(sink);
    return () => void this.#sinks.delete(sink);
  }

  close(): void {
    if (this.#gathering !== null) clearTimeout(this.#gathering);
  }

  #facts(): readonly BrokerFact[] {
    const { source, standing, freeze, egressOf } = this.#ports;
    const ports = {
      standingOf: (agentId: string) => standing.get(agentId),
      isFrozen: freeze.frozen,
      versionOf: (agentId: string) => egressOf(agentId).version,
    };
    return source.list().map((record) => brokerFact(record, ports));
  }

  #compare(): void {
    this.close();
    this.#gathering = null;
    const before = this.#known;
    this.#known = new Map();
    const { source } = this.#ports;
    const names = new Map(source.list().map(({ uid, agentId }) => [uid, agentId]));
    for (const { event, data } of this.#facts()) {
      const text = JSON.stringify(data);
      this.#known.set(data.uid, { agent: names.get(data.uid) ?? '', text });
      if (before.get(data.uid)?.text !== text) this.#send(event, data);
    }
    for (const [uid, { agent }] of before)
      if (!this.#known.has(uid)) this.#send('stopped', { uid, agent, reason: 'life_ended' });
  }

  #send(event: BrokerFact['event'], data: BrokerFact['data']): void {
    for (const sink of this.#sinks) sink.send(event, data);
  }
}
