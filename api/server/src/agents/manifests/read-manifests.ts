import type { AgentManifests } from '@hamlet/contract';
import { accepted, refused } from '../../http/outcome.ts';
import type { ManifestSource } from '../../runs/workflow/manifest-source.ts';
import type { AgentRecord, AgentSource } from '../agent-source.ts';
import type { ConfigMaps } from '../config-maps.ts';
import { manifestsOfMap } from './manifests-of-map.ts';

export async function readManifests(
  maps: ConfigMaps,
  { spec: { manifests } }: Pick<AgentRecord, 'spec'>,
): Promise<AgentManifests> {
  if (manifests === undefined) return { config_map_name: null, version: null, files: [], problem: null };
  const { configMapName: name } = manifests;
  const found = await maps.read(name);
  return found.ok
    ? manifestsOfMap(found.map)
    : { config_map_name: name, version: null, files: [], problem: found.problem };
}

/** The manifests of agents, for runs: only those that can be used. */
export function manifestSourceOf(maps: ConfigMaps, source: Pick<AgentSource, 'get'>): ManifestSource {
  return {
    read: async (agentId) => {
      const record = source.get(agentId);
      const read = record === null ? null : await readManifests(maps, record);
      if (read === null || read.config_map_name === null)
        return refused(
          'no_manifests',
          `The agent ${agentId} has no manifests: write them, or name their ConfigMap in spec.manifests`,
        );
      return read.problem === null ? accepted(read.files) : refused('manifests_unusable', read.problem);
    },
  };
}
