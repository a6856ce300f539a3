import type { ManifestFiles } from '@hamlet/contract';
import { accepted, refused, type Outcome } from '../../http/outcome.ts';

/** The manifests of an agent as they are now. `detail`: what cannot be used, then the fix. */
export type ManifestMap =
  | { readonly ok: true; readonly files: ManifestFiles }
  | { readonly ok: false; readonly code: 'no_manifests' | 'manifests_unusable'; readonly detail: string };

/** Reads the ConfigMaps in `spec.manifests` of agents. An agent that does not exist has no manifests. */
export interface ManifestMaps {
  read(agentId: string): Promise<ManifestMap>;
}

export async function manifestsOfAgent(maps: ManifestMaps, agentId: string): Promise<Outcome<ManifestFiles>> {
  const map = await maps.read(agentId);
  return map.ok ? accepted(map.files) : refused(map.code, map.detail);
}
