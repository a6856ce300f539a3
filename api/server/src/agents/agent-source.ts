import type { AgentSpec, AgentStatus, EntitlementSpec, EntitlementStatus } from '@hamlet/contract';
import type { Outcome } from '../http/outcome.ts';

/** An Agent as its custom resource has it. */
export interface AgentRecord {
  readonly agentId: string;
  readonly uid: string;
  readonly createdAt: string;
  readonly spec: AgentSpec;
  readonly status: AgentStatus;
  /** Whether it is being deleted. */
  readonly deleting: boolean;
  /** Counts changes of the spec; left out where there is no cluster. */
  readonly generation?: number;
}

/** An Entitlement as its custom resource has it. */
export interface EntitlementRecord {
  readonly name: string;
  readonly spec: EntitlementSpec;
  readonly status: EntitlementStatus;
  /** Names this very spec; left out where there is no cluster. */
  readonly etag?: string;
}

export interface LifecycleChange {
  readonly record: AgentRecord;
  readonly changed: boolean;
}

/** What to do where another field manager owns the field. */
export type OnConflict = 'refuse' | 'take_over';

/**
 * Where agents come from: the cluster's custom resources, or the samples of the tree. Reads are from memory and may lag behind by a moment;
 * writes are intent, which the operator (or the samples' own store) carries out.
 */
export interface AgentSource {
  /** Whether the first full list has been read. */
  readonly ready: boolean;
  list(): readonly AgentRecord[];
  get(agentId: string): AgentRecord | null;
  /** Spec of an Entitlement; null for an unknown one. */
  entitlement(name: string): EntitlementSpec | null;
  entitlements(): readonly EntitlementRecord[];
  /** Hears that something may have changed; read again. */
  onChange(hear: () => void): void;
  setPower(agentId: string, power: 'Awake' | 'Asleep', onConflict: OnConflict): Promise<Outcome<LifecycleChange>>;
  /** Begins a new run cycle of an awake agent. */
  reboot(agentId: string, at: Date, onConflict: OnConflict): Promise<Outcome<LifecycleChange>>;
  close(): Promise<void>;
}
