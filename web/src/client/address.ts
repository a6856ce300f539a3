import type { AppState } from './app-state.ts';
import type { Store } from './store.ts';
import { placeOf, readInvitation, readUrl, type UrlState, writeUrl } from './url-state.ts';

/** Keeps the address and the open page equal, in both directions. */
export function keepAddress(store: Store<AppState>): void {
  let { place, selected } = store.get();
  const write = (): void => {
    const now = store.get();
    if (now.place === place && now.selected === selected) return;
    const isStep = isStepBetween({ place, selected }, now);
    ({ place, selected } = now);
    putAddress({ ...readUrl(window.location.search), ...place, agent: selected }, isStep);
  };
  const goBack = (): void => {
    const url = readUrl(window.location.search);
    place = placeOf(url);
    selected = url.agent;
    store.set((state) => ({ ...state, place, selected, following: state.following && state.selected === url.agent }));
  };
  store.subscribe(write);
  window.addEventListener('popstate', goBack);
  // The link of an invitation in a tab that shows the village already changes only the fragment.
  window.addEventListener('hashchange', () => {
    if (readInvitation(window.location.hash) !== null) window.location.reload();
  });
}

export function isStepBetween(
  before: Pick<AppState, 'place' | 'selected'>,
  now: Pick<AppState, 'place' | 'selected'>,
): boolean {
  const opened = (was: string | null, is: string | null): boolean => is !== null && is !== was;
  return (
    now.place.view !== before.place.view ||
    opened(before.selected, now.selected) ||
    opened(before.place.post, now.place.post) ||
    opened(before.place.run, now.place.run) ||
    opened(before.place.chat, now.place.chat)
  );
}

/** Removes a key of the query after use, and the fragment with it. */
export function forgetInAddress(key: string): void {
  const query = new URLSearchParams(window.location.search);
  query.delete(key);
  window.history.replaceState(null, '', query.size === 0 ? window.location.pathname : `?${query.toString()}`);
}

/** Keeps the fragment: an invitation stays until the person has used it. */
export function putAddress(state: UrlState, isStep: boolean): void {
  const query = writeUrl(state);
  const { search, pathname, hash } = window.location;
  if (query === search) return;
  window.history[isStep ? 'pushState' : 'replaceState'](null, '', `${pathname}${query}${hash}`);
}
