import type { AppState } from './app-state.ts'
import type { Store } from './store.ts'
import { placeOf, readUrl, type UrlState, writeUrl } from './url-state.ts'

/**
 * Keeps the address and what is open in step: each page is a step that the browser's back button undoes, everything smaller replaces the address.
 * Returns how to end it.
 */
export function keepAddress(store: Store<AppState>): () => void {
  let { place, selected } = store.get()
  const write = (): void => {
    const now = store.get()
    if (now.place === place && now.selected === selected) return
    const isStep = now.place.view !== place.view
    ;({ place, selected } = now)
    putAddress({ ...readUrl(window.location.search), ...place, agent: selected }, isStep)
  }
  const goBack = (): void => {
    const url = readUrl(window.location.search)
    place = placeOf(url)
    selected = url.agent
    store.set((state) => ({ ...state, place, selected, following: state.following && state.selected === url.agent }))
  }
  const stop = store.subscribe(write)
  window.addEventListener('popstate', goBack)
  return () => { stop(); window.removeEventListener('popstate', goBack) }
}

/** Shows a state in the address, as a step to go back from or in place of the present one. */
export function putAddress(state: UrlState, isStep: boolean): void {
  const query = writeUrl(state)
  if (query === window.location.search) return
  window.history[isStep ? 'pushState' : 'replaceState'](null, '', `${window.location.pathname}${query}`)
}
