/** Tiers that fit a small machine: a tier that no node can hold a seat of tells a newcomer nothing. */

/** Cores of a machine whose nodes hold the chart's own tiers. */
const ENOUGH_CORES = 4;

/** What differs from the tiers of the chart on a machine of so many cores. Each local node has all of them. Pure. */
export function localTiers(cores: number): object {
  if (cores >= ENOUGH_CORES) return {};
  // A pod requests half of its limits: a quarter of a node of two cores, which the village's own pods leave free.
  return { entitlements: { 'tier-2': { compute: { resources: { cpu: '1', memory: '1Gi' } } } } };
}
