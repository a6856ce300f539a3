import { useEffect } from 'react'
import type { Store } from '../../client/store.ts'
import type { AppState } from '../../client/app-state.ts'
import { placeAfter } from '../../client/url-state.ts'
import { PAGES } from './view-nav.tsx'

/** The digits 1 to 4 go to the pages, from wherever nothing is being written. */
export function usePageKeys(store: Store<AppState>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const page = PAGES[Number(event.key) - 1]
      if (page === undefined || event.ctrlKey || event.metaKey || event.altKey) return
      const writing = event.target instanceof HTMLElement && event.target.closest('input, textarea, select') !== null
      if (writing || document.querySelector('dialog[open]') !== null) return
      store.set((state) => ({ ...state, place: placeAfter(state.place, { view: page.view }) }))
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [store])
}
