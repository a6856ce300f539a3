import type { ReactElement } from 'react';
import type { Refused } from '../../client/api.ts';
import { RefusedNotice } from './refused-notice.tsx';

/** How a program would ask again; people have a button. */
const FOR_PROGRAMS = / Repeat with on_conflict=take_over to take (the field )?over$/;

interface OwnedProps {
  readonly refused: Refused;
  readonly onTakeOver: () => void;
  readonly onDismiss?: (() => void) | undefined;
}

/** Why a custom resource was not written. Where another field manager owns what would change, it says who, and asks before it is taken over. */
export function OwnedNotice({ refused, onTakeOver, onDismiss }: OwnedProps): ReactElement {
  if (refused.code !== 'field_owned_elsewhere') return <RefusedNotice refused={refused} onDismiss={onDismiss} />;
  return (
    <RefusedNotice refused={{ ...refused, detail: refused.detail.replace(FOR_PROGRAMS, '') }} onDismiss={onDismiss}>
      {' '}
      Taken over, it is the village's: whoever writes it there again is told so.
      <button type="button" className="button button-small" onClick={onTakeOver} data-action="take-over">
        Take it over
      </button>
    </RefusedNotice>
  );
}
