import type { ReactElement } from 'react';
import { useVillageState } from '../village-context.ts';

/** Tells people who cannot see the map what the followed agent does; polite, and only what is new. */
export function FollowNarrator(): ReactElement {
  const selected = useVillageState((state) => (state.following ? state.selected : null));
  const latest = useVillageState((state) => state.happenings.find((happening) => happening.agentId === selected));
  return (
    <div className="sr-only" role="status" aria-live="polite">
      {selected === null || latest === undefined ? '' : `${latest.name} ${latest.text}`}
    </div>
  );
}
