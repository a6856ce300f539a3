import type { AgentManifests, ManifestFiles } from '@hamlet/contract';
import { refused, type Outcome } from '../../http/outcome.ts';
import type { AgentRecord, OnConflict } from '../agent-source.ts';
import type { ConfigMaps } from '../config-maps.ts';
import { readManifests } from './read-manifests.ts';

/** All files of an agent's manifests. */
export interface WantedManifests {
  readonly files: ManifestFiles;
  /** The version that was read; null if there was none. */
  readonly version: string | null;
  readonly onConflict: OnConflict;
}

export interface WrittenManifests {
  readonly manifests: AgentManifests;
  /** Names of the files that the write changed, added or removed. */
  readonly changed: readonly string[];
  /** True if the write named the ConfigMap in the Agent. */
  readonly named: boolean;
  readonly agentUid: string;
  /** Generation of the Agent, if this write or an earlier attempt named the ConfigMap in it. */
  readonly generation: number | undefined;
}

export interface ManifestStore {
  read(record: Pick<AgentRecord, 'spec'>): Promise<AgentManifests>;
  /** Throws UnavailableError if the cluster is unreachable. */
  write(agentId: string, wanted: WantedManifests): Promise<Outcome<WrittenManifests>>;
}

/** Manifests from a folder of sample files. Read-only, because without a cluster no writer can be refused. */
export function sampleManifests(maps: ConfigMaps): ManifestStore {
  return {
    read: (record) => readManifests(maps, record),
    write: async () =>
      refused('cluster_needed', 'These manifests are sample files and cannot be written: run a cluster (make up)'),
  };
}
