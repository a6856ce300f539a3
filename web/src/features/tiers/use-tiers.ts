import { type EntitlementView, listEntitlements } from '@hamlet/contract';
import { type Live, useLive } from '../../client/query/use-live.ts';

const REFRESH_MS = 5000;

/** The tiers of the village, lowest first, kept up to date. */
export function useTiers(): Live<{ readonly entitlements: readonly EntitlementView[] }> {
  return useLive(listEntitlements, {}, REFRESH_MS);
}
