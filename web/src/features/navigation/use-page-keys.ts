import { useEffect } from 'react';
import type { AppState } from '../../client/app-state.ts';
import type { Store } from '../../client/store.ts';
import { placeAfter } from '../../client/url-state.ts';
import { shortcutsOn } from '../../ui/preferences.ts';
import { GROUPS, openedBy, seenBy } from './page-groups.ts';

/**
 * True if a key is a shortcut: shortcuts are on, no modifier key is down, and no text field or dialog takes the key.
 */
function isShortcut(event: KeyboardEvent): boolean {
  const writing = event.target instanceof HTMLElement && event.target.closest('input, textarea, select') !== null;
  return (
    shortcutsOn() &&
    !event.ctrlKey &&
    !event.metaKey &&
    !event.altKey &&
    !writing &&
    document.querySelector('dialog[open]') === null
  );
}

/** The digits 1 to 5 open the groups of pages, except while a person writes. */
export function usePageKeys(store: Store<AppState>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const group = GROUPS[Number(event.key) - 1];
      if (group === undefined || !isShortcut(event)) return;
      const { session } = store.get();
      const role = session.kind === 'account' ? session.account.role : 'visitor';
      if (seenBy(group, role))
        store.set((state) => ({ ...state, place: placeAfter(state.place, { view: openedBy(group, role) }) }));
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [store]);
}
