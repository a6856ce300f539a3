import type { ManifestFiles } from '@hamlet/contract';
import type { Outcome } from '../../http/outcome.ts';

/** The manifests of agents as their ConfigMaps have them now. */
export interface ManifestSource {
  /** Refuses with `no_manifests`, also for an unknown agent, or with `manifests_unusable` and the fix. */
  read(agentId: string): Promise<Outcome<ManifestFiles>>;
}
