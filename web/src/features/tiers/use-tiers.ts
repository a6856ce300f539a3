import { type EntitlementView, listEntitlements } from '@hamlet/contract';
import { useCallback } from 'react';
import { useVillage } from '../village-context.ts';
import { type Live, useLive } from '../../client/ask/use-live.ts';

const REFRESH_MS = 5000;

/** The tiers of the village, lowest first, kept up to date. */
export function useTiers(): Live<{ readonly entitlements: readonly EntitlementView[] }> {
  const { api } = useVillage();
  return useLive(
    useCallback((signal: AbortSignal) => api.call(listEntitlements, { signal }), [api]),
    REFRESH_MS,
  );
}
