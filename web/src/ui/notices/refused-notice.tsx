import type { ReactElement, ReactNode } from 'react';
import type { Refused } from '../../client/api.ts';
import { Icon } from '../icon.tsx';

interface RefusedProps {
  readonly refused: Refused;
  readonly onDismiss?: (() => void) | undefined;
  readonly children?: ReactNode;
}

/** A refusal in the api's words, with what to change where it says so, and what can be done about it as children. */
export function RefusedNotice({ refused, onDismiss, children }: RefusedProps): ReactElement {
  return (
    <div className="notice notice-bad" role="alert" data-code={refused.code}>
      <Icon name="alert" size={16} />
      <span>
        <b>{refused.title}.</b> {refused.detail}
        {refused.errors.length > 0 && (
          <ul className="notice-list">
            {refused.errors.map(({ path, message }) => (
              <li key={`${path} ${message}`}>
                {path !== '' && <code>{path}</code>} {message}
              </li>
            ))}
          </ul>
        )}
        {children}
      </span>
      {onDismiss !== undefined && (
        <button type="button" className="icon-button" onClick={onDismiss} aria-label="Dismiss">
          <Icon name="close" size={14} />
        </button>
      )}
    </div>
  );
}

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
      If you take it over, the village owns it, and the other manager gets a conflict when it writes it again.
      <button type="button" className="button button-small" onClick={onTakeOver} data-action="take-over">
        Take it over
      </button>
    </RefusedNotice>
  );
}
