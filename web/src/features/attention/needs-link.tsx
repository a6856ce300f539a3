import { roleMay } from '@hamlet/contract';
import { Icon } from '../../ui/controls.tsx';
import { ViewLink } from '../navigation/view-nav.tsx';
import { useRole, useVillageState } from '../village-context.ts';
import { useNeedCount } from './use-needs.ts';

/** The way to everything that waits for the viewer, with its number. */
export function NeedsLink() {
  const count = useNeedCount();
  const isOpen = useVillageState((state) => state.place.view === 'needs');
  if (!roleMay(useRole(), 'runs:read')) return null;
  return (
    <ViewLink
      to="needs"
      className="needs-link"
      current={isOpen}
      title={count === null ? 'Nothing waits for you' : `${count} to settle`}
    >
      <Icon name="hand" size={17} />
      <span className="needs-word">Needs you</span>
      {count !== null && (
        <span className="unseen" data-needs={count}>
          {count}
        </span>
      )}
    </ViewLink>
  );
}
