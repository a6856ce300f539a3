import type { ManifestFiles } from '@hamlet/contract';

/** The manifests of an agent as they are now. `detail`: what cannot be used, then the fix. */
export type ManifestMap =
  | { readonly ok: true; readonly files: ManifestFiles }
  | { readonly ok: false; readonly code: 'no_manifests' | 'manifests_unusable'; readonly detail: string };

/** Reads the ConfigMaps in `spec.manifests` of agents. An agent that does not exist has no manifests. */
export interface ManifestMaps {
  read(agentId: string): Promise<ManifestMap>;
}
