import { API_VERSION, type Power } from '@hamlet/contract';
import type { KubeObject } from '@hamlet/kube';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import type { AgentRecord, AgentSource, LifecycleChange, OnConflict } from './agent-source.ts';
import { FIELD_MANAGER } from './field-owners.ts';
import { serverRefusal } from './server-refusal.ts';
import { AGENTS, IDLE_SLEEP, recordOf, SLEEP_ANNOTATION, watchVillage, type WatchPorts } from './kubernetes-watch.ts';

interface Fields {
  /** Undefined if no manager has written the field: the API then omits it and does not become its owner. */
  readonly power: Power | undefined;
  readonly rebootedAt: string | undefined;
  readonly idle?: boolean;
}

type WrittenAgent = KubeObject & { readonly spec: { readonly power?: Power } };

/** `see` takes an Agent that a writer got back, so that reads need not wait for the watch. */
export function openKubernetesSource(ports: WatchPorts): AgentSource & { readonly see: (agent: KubeObject) => void } {
  const { client, namespace } = ports;
  const watch = watchVillage(ports);

  /** Server-side apply removes each field that the API owns and omits in its next write. */
  const write: Write = async (before, { power, rebootedAt, idle = false }, onConflict) => {
    const spec = { ...(power === undefined ? {} : { power }), ...(rebootedAt === undefined ? {} : { rebootedAt }) };
    const object = {
      apiVersion: API_VERSION,
      kind: 'Agent',
      metadata: {
        name: before.agentId,
        namespace,
        uid: before.uid,
        ...(idle ? { annotations: { [SLEEP_ANNOTATION]: IDLE_SLEEP } } : {}),
      },
      spec,
    };
    const after = await client.apply<KubeObject>(AGENTS, object, {
      fieldManager: FIELD_MANAGER,
      force: onConflict === 'take_over',
    });
    watch.see(after);
    return accepted({ record: recordOf(after), changed: true });
  };

  /** Reads the object from the API server for `decide`, because the watch may lag. */
  const change: Change = async (agentId, decide) => {
    try {
      const agent = await client.get<WrittenAgent>(AGENTS, { namespace, name: agentId });
      return await decide(recordOf(agent), agent.spec);
    } catch (error) {
      return refusalOf(error);
    }
  };

  return {
    get ready() {
      return watch.ready;
    },
    list: () => [...watch.agents.values()],
    get: (agentId) => watch.agents.get(agentId) ?? null,
    entitlement: (name) => watch.entitlements.get(name)?.spec ?? null,
    entitlements: () => [...watch.entitlements.values()],
    onChange: (callback) => watch.onChange(callback),
    ...lifeOf(change, write),
    see: (agent) => watch.see(agent),
    close: () => watch.close(),
  };
}

type Write = (before: AgentRecord, fields: Fields, onConflict: OnConflict) => Promise<Outcome<LifecycleChange>>;
type Change = (
  agentId: string,
  decide: (record: AgentRecord, written: WrittenAgent['spec']) => Promise<Outcome<LifecycleChange>>,
) => Promise<Outcome<LifecycleChange>>;

function lifeOf(change: Change, write: Write): Pick<AgentSource, 'setPower' | 'sleepIdle' | 'wakeIdle' | 'reboot'> {
  return {
    setPower: (agentId, power, onConflict) =>
      change(agentId, async (record) => {
        // If a person suspends an agent that sleeps because it was idle, the annotation is removed.
        if (record.spec.power === power && record.idle !== true) return accepted({ record, changed: false });
        return write(record, { power, rebootedAt: record.spec.rebootedAt }, onConflict);
      }),
    sleepIdle: (agentId) =>
      change(agentId, async (record) => {
        if (record.spec.power === 'Asleep') return accepted({ record, changed: false });
        return write(record, { power: 'Asleep', rebootedAt: record.spec.rebootedAt, idle: true }, 'refuse');
      }),
    wakeIdle: (agentId) =>
      change(agentId, async (record) => {
        if (record.idle !== true) return accepted({ record, changed: false });
        return write(record, { power: 'Awake', rebootedAt: record.spec.rebootedAt }, 'refuse');
      }),
    reboot: (agentId, at, onConflict) =>
      change(agentId, async (record, { power }) => {
        if (record.spec.rebootedAt === at.toISOString()) return accepted({ record, changed: false });
        if (power === 'Asleep') return refused('reboot_while_asleep');
        return write(record, { power, rebootedAt: at.toISOString() }, onConflict);
      }),
  };
}

function refusalOf(error: unknown): Outcome<LifecycleChange> {
  const { status, message } = serverRefusal(error);
  if (status === 404) return refused('no_such_agent');
  if (status === 422 && message.includes('asleep cannot reboot')) return refused('reboot_while_asleep');
  if (status !== 409) throw error;
  if (!message.includes('conflict with "'))
    return refused('no_such_agent', 'The agent was deleted or recreated in the meantime; read it again');
  return refused('field_owned_elsewhere', message);
}
