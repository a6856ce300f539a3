import { Agent, API_VERSION, Entitlement, GROUP, VERSION } from '@hamlet/contract';
import { Reflector, slim, type KubeClient, type KubeObject, type ResourceType } from '@hamlet/kube';
import type { Log } from '../service/log.ts';
import type { AgentRecord, EntitlementRecord } from './agent-source.ts';

export const AGENTS: ResourceType = { group: GROUP, version: VERSION, plural: 'agents', kind: 'Agent' };
export const ENTITLEMENTS: ResourceType = {
  group: GROUP,
  version: VERSION,
  plural: 'entitlements',
  kind: 'Entitlement',
};

/** The API sets this annotation when it puts an idle agent to sleep; every other write of `spec.power` removes it. */
export const SLEEP_ANNOTATION = 'hamlet.village/sleep';
export const IDLE_SLEEP = 'Idle';

/** Converts an Agent object. Throws if it does not match the schema, for example if it comes from an older version. */
export function recordOf(object: KubeObject): AgentRecord {
  const agent = Agent.parse({ ...object, apiVersion: API_VERSION, kind: 'Agent' });
  const { name, uid, creationTimestamp, deletionTimestamp, generation, annotations, labels } = object.metadata;
  return {
    agentId: name,
    uid,
    createdAt: new Date(creationTimestamp ?? 0).toISOString(),
    spec: agent.spec,
    status: agent.status ?? {},
    deleting: deletionTimestamp !== undefined,
    ...(labels === undefined ? {} : { labels }),
    ...(generation === undefined ? {} : { generation }),
    ...(agent.spec.power === 'Asleep' && annotations?.[SLEEP_ANNOTATION] === IDLE_SLEEP ? { idle: true } : {}),
  };
}

export const etagOf = ({ metadata: { uid, generation = 0 } }: KubeObject): string => `"${uid}.${generation}"`;

export function entitlementOf(object: KubeObject): EntitlementRecord {
  const { metadata, spec, status } = Entitlement.parse({ ...object, apiVersion: API_VERSION, kind: 'Entitlement' });
  return { name: metadata.name, spec, status: status ?? {}, etag: etagOf(object) };
}

export interface WatchPorts {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly log: Log;
  /** Receives each object in order, with its managedFields, which the cache of the watch leaves out. */
  readonly onObject?: (kind: string, object: KubeObject) => void;
  readonly onDeleted?: (kind: string, object: KubeObject) => void;
}

export function watchVillage(ports: WatchPorts) {
  const { client, namespace, log } = ports;
  const callbacks: (() => void)[] = [];
  const onFailure = (error: unknown): void => log('warn', 'a watch of the cluster failed; it resumes', { error });

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
        log('error', 'a custom resource does not match its schema; the API keeps the last valid version of it', {
          kind: type.kind,
          name,
          error,
        });
      }
      for (const callback of callbacks) callback();
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
    onChange: (callback: () => void): void => void callbacks.push(callback),
    see: (agent: KubeObject) => agents.reflector.cache.see(agent),
    close: async () => {
      await Promise.all([agents.reflector.stop(), entitlements.reflector.stop()]);
    },
  };
}
