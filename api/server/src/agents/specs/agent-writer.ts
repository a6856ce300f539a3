import type { SpecField } from '@hamlet/contract';
import { refused, type Outcome, type Refused } from '../../http/outcome.ts';
import type { AgentRecord, OnConflict } from '../agent-source.ts';

/** The spec of an Agent as it is stored, without the fields of its life. */
export interface StoredSpec {
  readonly agentId: string;
  readonly uid: string;
  /** Version of the spec; the same until another write of the spec. */
  readonly version: string;
  readonly generation: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly fields: readonly SpecField[];
  readonly record: AgentRecord;
}

/** `paths` are the changed fields; empty if the Agent had these values already. */
export interface WrittenSpecChange {
  readonly stored: StoredSpec;
  readonly paths: readonly string[];
}

export interface NewAgent {
  readonly agentId: string;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly dryRun: boolean;
  /** The same for all attempts of one request, so that a retry recognizes its Agent. */
  readonly writeId: string;
  readonly resumed: boolean;
}

export interface SpecChange {
  /** A JSON merge patch (RFC 7386). */
  readonly patch: Readonly<Record<string, unknown>>;
  /** Version that the patch was made for. */
  readonly version: string;
  readonly onConflict: OnConflict;
  readonly dryRun: boolean;
  readonly resumed: boolean;
}

export interface AgentRemoval {
  readonly volume: 'keep' | 'delete';
  readonly onConflict: OnConflict;
}

/** `changed` is false if the Agent was being deleted already. */
export interface RemovedAgent {
  readonly uid: string;
  readonly generation: number;
  readonly changed: boolean;
}

/** Writes Agents of the cluster as people do. Throws UnavailableError if the cluster is unreachable. */
export interface AgentWriter {
  read(agentId: string): Promise<Outcome<StoredSpec>>;
  create(agent: NewAgent): Promise<Outcome<WrittenSpecChange>>;
  update(agentId: string, change: SpecChange): Promise<Outcome<WrittenSpecChange>>;
  /** Writes `memory.retain` first, so that the operator keeps or deletes the volume as asked. */
  remove(agentId: string, removal: AgentRemoval): Promise<Outcome<RemovedAgent>>;
}

const NO_CLUSTER =
  'The agents of this village are sample files (crds/samples): edit the files and start again, or run a cluster (make up)';

/** Refuses reads and writes: only an API server knows owners of fields, and validates and stores Agents. */
export function createSamplesAgents(): AgentWriter {
  const refuse = async (): Promise<Refused> => refused('cluster_needed', NO_CLUSTER);
  return { read: refuse, create: refuse, update: refuse, remove: refuse };
}
