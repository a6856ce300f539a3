import type { AgentSpec, AgentStatus, EntitlementSpec, EntitlementStatus } from '@hamlet/contract';
import { accepted, type Outcome } from '../http/outcome.ts';
import type { WrittenObject } from '../resource-writes/write-cluster.ts';

export interface AgentRecord {
  readonly agentId: string;
  readonly uid: string;
  readonly createdAt: string;
  readonly spec: AgentSpec;
  readonly status: AgentStatus;
  readonly deleting: boolean;
  /** Labels of the Kubernetes object, by which Schedules select it; left out if there is no cluster. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly generation?: number;
  /** True if the API put the agent to sleep because it was idle; left out if a person did, or if it is awake. */
  readonly idle?: true;
}

export interface EntitlementRecord {
  readonly name: string;
  readonly spec: EntitlementSpec;
  readonly status: EntitlementStatus;
  readonly etag?: string;
}

export interface LifecycleChange {
  readonly record: AgentRecord;
  readonly changed: boolean;
}

export function writtenLife(outcome: Outcome<LifecycleChange>): Outcome<WrittenObject<LifecycleChange>> {
  if (!outcome.ok) return outcome;
  const { record, changed } = outcome.data;
  return accepted({ data: outcome.data, uid: record.uid, generation: record.generation, changed });
}

export type OnConflict = 'refuse' | 'take_over';

/**
 * Source of agents. Reads come from memory and may lag briefly. Writes change the spec, which the operator carries out.
 */
export interface AgentSource {
  readonly ready: boolean;
  list(): readonly AgentRecord[];
  get(agentId: string): AgentRecord | null;
  entitlement(name: string): EntitlementSpec | null;
  entitlements(): readonly EntitlementRecord[];
  onChange(callback: () => void): void;
  setPower(agentId: string, power: 'Awake' | 'Asleep', onConflict: OnConflict): Promise<Outcome<LifecycleChange>>;
  /** Puts an awake agent to sleep because it is idle. Refuses if another manager owns `spec.power`. */
  sleepIdle(agentId: string): Promise<Outcome<LifecycleChange>>;
  /** Wakes an agent that the API put to sleep because it was idle. `changed` is false for any other agent. */
  wakeIdle(agentId: string): Promise<Outcome<LifecycleChange>>;
  reboot(agentId: string, at: Date, onConflict: OnConflict): Promise<Outcome<LifecycleChange>>;
  close(): Promise<void>;
}
