import { getLoginOptions } from '@hamlet/contract';
import type { Api } from './api.ts';
import type { AppState } from './app-state.ts';
import type { Store } from './store.ts';

/** Reads the name and color of the village. They stay as they are if the API does not answer. */
export async function loadBrand(api: Api, store: Store<AppState>): Promise<void> {
  const reply = await api.call(getLoginOptions, {});
  if (reply.ok) store.set((state) => ({ ...state, brand: reply.data.brand }));
}
