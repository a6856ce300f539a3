import { useEffect } from 'react';
import { useVillageState } from '../village-context.ts';
import { titleOf } from './title-of.ts';

/** Keeps the title of the tab: the page, or the agent that is open. */
export function PageTitle(): null {
  const view = useVillageState((state) => state.place.view);
  const agent = useVillageState((state) =>
    state.selected === null ? null : (state.details.get(state.selected)?.display_name ?? state.selected),
  );
  useEffect(() => {
    document.title = titleOf(view, agent);
  }, [view, agent]);
  return null;
}
