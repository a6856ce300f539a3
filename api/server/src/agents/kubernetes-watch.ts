import { Agent, API_VERSION, Entitlement, GROUP, VERSION } from '@hamlet/contract';
import { Reflector, slim } from '@hamlet/kube';
import type { KubeClient, KubeObject, ResourceType } from '@hamlet/kube';
import type { Log } from '../service/log.ts';
import type { AgentRecord, EntitlementRecord } from './agent-source.ts';

export const AGENTS: ResourceType = { group: GROUP, version: VERSION, plural: 'agents', kind: 'Agent' };
export const ENTITLEMENTS: ResourceType = {
  group: GROUP,
  version: VERSION,
  plural: 'entitlements',
  kind: 'Entitlement',
};

/** An Agent as the API server has it, in our words. Throws where it does not match the schema (an older version's object). */
export function recordOf(object: KubeObject): AgentRecord {
  const agent = Agent.parse({ ...object, apiVersion: API_VERSION, kind: 'Agent' });
  const { name, uid, creationTimestamp, deletionTimestamp, generation } = object.metadata;
  return {
    agentId: name,
    uid,
    createdAt: new Date(creationTimestamp ?? 0).toISOString(),
    spec: agent.spec,
    status: agent.status ?? {},
    deleting: deletionTimestamp !== undefined,
    ...(generation === undefined ? {} : { generation }),
  };
}

/** Names the very spec that an object has: another generation, or another life of the name, has another. */
export function etagOf({ metadata: { uid, generation = 0 } }: KubeObject): string {
  return `"${uid}.${generation}"`;
}

/** An Entitlement as the API server has it, in our words. Throws where it does not match the schema. */
export function entitlementOf(object: KubeObject): EntitlementRecord {
  const { metadata, spec, status } = Entitlement.parse({ ...object, apiVersion: API_VERSION, kind: 'Entitlement' });
  return { name: metadata.name, spec, status: status ?? {}, etag: etagOf(object) };
}

/** What a watch of the village's custom resources holds. */
export interface VillageWatch {
  readonly ready: boolean;
  readonly agents: ReadonlyMap<string, AgentRecord>;
  readonly entitlements: ReadonlyMap<string, EntitlementRecord>;
  onChange(hear: () => void): void;
  /** Takes the answer of a write before the watch brings it. */
  see(agent: KubeObject): void;
  close(): Promise<void>;
}

export interface WatchPorts {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly log: Log;
  /** Sees each object as it comes, in order and with its managedFields, which are not kept. */
  readonly onObject?: (kind: string, object: KubeObject) => void;
  readonly onDeleted?: (kind: string, object: KubeObject) => void;
}

/** Watches the Agents and Entitlements of a namespace. */
export function watchVillage(ports: WatchPorts): VillageWatch {
  const { client, namespace, log } = ports;
  const hearers: (() => void)[] = [];
  const onFailure = (error: unknown): void => log('warn', 'a watch of the cluster failed and is resumed', { error });

  function mirror<T>(
    type: ResourceType,
    read: (object: KubeObject) => T,
  ): { readonly reflector: Reflector<KubeObject>; readonly held: Map<string, T> } {
    const held = new Map<string, T>();
    const transform = (raw: KubeObject): KubeObject => {
      ports.onObject?.(type.kind, raw);
      return slim(raw);
    };
    const reflector = new Reflector<KubeObject>({ client, type, namespace, onFailure, transform });
    reflector.cache.onChange(({ kind, object }) => {
      const { name } = object.metadata;
      try {
        if (kind === 'deleted') {
          held.delete(name);
          ports.onDeleted?.(type.kind, object);
        } else held.set(name, read(object));
      } catch (error) {
        log('error', 'a custom resource does not match its schema and is left as it was', {
          kind: type.kind,
          name,
          error,
        });
      }
      for (const hear of hearers) hear();
    });
    reflector.start().catch(onFailure);
    return { reflector, held };
  }

  const agents = mirror(AGENTS, recordOf);
  const entitlements = mirror(ENTITLEMENTS, entitlementOf);
  return {
    get ready() {
      return agents.reflector.state.synced && entitlements.reflector.state.synced;
    },
    agents: agents.held,
    entitlements: entitlements.held,
    onChange: (hear) => void hearers.push(hear),
    see: (agent) => agents.reflector.cache.see(agent),
    close: async () => {
      await Promise.all([agents.reflector.stop(), entitlements.reflector.stop()]);
    },
  };
}
