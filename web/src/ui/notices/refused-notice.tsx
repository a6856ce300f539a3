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
