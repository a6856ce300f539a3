import { getVillageFreeze } from '@hamlet/contract';
import { useCallback, useEffect } from 'react';
import { useLive } from '../../client/ask/use-live.ts';
import { useVillage } from '../village-context.ts';

/** How often everybody's page asks whether the village is frozen. */
const REFRESH_MS = 4000;

/** Keeps the store's word on whether the village is frozen. Used once. */
export function useFreezeWatch(): void {
  const { api, store } = useVillage();
  const { data } = useLive(
    useCallback((signal: AbortSignal) => api.call(getVillageFreeze, { signal }), [api]),
    REFRESH_MS,
  );
  useEffect(() => {
    if (data !== null) store.set((state) => ({ ...state, freeze: data }));
  }, [store, data]);
}
