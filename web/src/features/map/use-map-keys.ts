import { useEffect, useRef } from 'react';
import { type KeyIntent, keyIntent } from '../../canvas/input/keys.ts';
import type { MapController } from '../../canvas/map-controller.ts';
import { placeAfter, showsMap } from '../../client/url-state.ts';
import { shortcutsOn } from '../../ui/preferences.ts';
import { useVillage, type VillageTools } from '../village-context.ts';
import type { AppState } from '../../client/app-state.ts';
import type { Store } from '../../client/store.ts';
import { GROUPS, openedBy, seenBy } from '../navigation/page-groups.ts';

/** Handles the keys of the map, and Escape, which goes back one step on every page. */
export function useMapKeys(controller: MapController | null): void {
  const latest = useVillage();
  const tools = useRef(latest);
  tools.current = latest;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const target = event.target instanceof HTMLElement ? event.target : null;
      // A dialog handles Escape itself, even while nothing in it has the focus.
      const intent =
        document.querySelector('dialog[open]') === null ? keyIntent(event.key, focusOf(event, target)) : null;
      if (intent === null || (intent.kind !== 'back' && !mayUse(intent, tools.current, target))) return;
      event.preventDefault();
      if (intent.kind === 'back') goBack(tools.current, target);
      else obey(intent, tools.current, controller);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [controller, tools]);
}

/** True if the map is visible and, with shortcuts off, has the focus; the search key never acts then. */
function mayUse(intent: KeyIntent, tools: VillageTools, target: HTMLElement | null): boolean {
  return (
    showsMap(tools.store.get().place.view) &&
    (shortcutsOn() || (target instanceof HTMLCanvasElement && intent.kind !== 'search'))
  );
}

function obey(intent: KeyIntent, tools: VillageTools, controller: MapController | null): void {
  if (intent.kind === 'follow') tools.follow(!tools.store.get().following);
  else if (intent.kind === 'search') document.querySelector<HTMLElement>('[data-search]')?.focus();
  else controller?.obey(intent);
}

function focusOf(event: KeyboardEvent, target: HTMLElement | null): Parameters<typeof keyIntent>[1] {
  return {
    writing: target !== null && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName),
    onMap: target === null || target === document.body || target instanceof HTMLCanvasElement,
    modified: event.ctrlKey || event.metaKey || event.altKey,
  };
}

/** Leaves a text field, ends the choice of a place or the following, or closes the selection, a post or a page. */
function goBack(tools: VillageTools, target: HTMLElement | null): void {
  if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) {
    target.blur();
    return;
  }
  const { following, selected, place, picking } = tools.store.get();
  if (picking !== null) tools.pick(null);
  else if (following && showsMap(place.view)) tools.follow(false);
  else if (selected === null && place.post !== null) tools.open({ post: null });
  else if (selected === null) tools.open({ view: 'map' });
  else tools.select(null);
}

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
