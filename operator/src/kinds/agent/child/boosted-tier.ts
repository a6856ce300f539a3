import { devicesOf } from '@hamlet/contract/kinds';
import type { Boost, TierView } from '../views.ts';

/** A tier as an agent has it while a GPU window lasts: the GPUs of the window are in place of its own, and never fewer of one kind. */
export function boostedTier(tier: TierView, boost: Boost | undefined): TierView {
  if (boost?.gpu === undefined) return tier;
  const { resourceName, count } = boost.gpu;
  const own = devicesOf(tier.spec.compute.gpu);
  const atLeast = own?.resourceName === resourceName ? own.count : 0;
  const gpu = { mode: 'Exclusive' as const, resourceName, count: Math.max(count, atLeast) };
  return { ...tier, spec: { ...tier.spec, compute: { ...tier.spec.compute, gpu } }, windowed: true };
}

/** All tiers as that agent has them. */
export function boostedTiers(tiers: readonly TierView[], boost: Boost | undefined): readonly TierView[] {
  return boost?.gpu === undefined ? tiers : tiers.map((tier) => boostedTier(tier, boost));
}
