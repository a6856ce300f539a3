import type { ReactElement, ReactNode } from 'react';
import { Button, IconButton } from '../button.tsx';
import type { Refused } from '../../client/api.ts';
import { Notice } from './notice.tsx';

interface RefusedProps {
  readonly refused: Refused;
  readonly onDismiss?: (() => void) | undefined;
  readonly children?: ReactNode;
}

/** A refusal in the API's words, with the wrong fields if the API names them. The children are the next steps. */
export function RefusedNotice({ refused, onDismiss, children }: RefusedProps): ReactElement {
  const dismiss = onDismiss && <IconButton icon="close" iconPx={14} label="Dismiss" onClick={onDismiss} />;
  return (
    <Notice tone="bad" data-code={refused.code} end={dismiss}>
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
    </Notice>
  );
}

type UnreadProps = Readonly<{ refused: Refused | null; word?: string }>;

/** Shown in place of an answer that the page does not have yet: the refusal, or a text while the request runs. */
export function Unread({ refused, word = 'Loading…' }: UnreadProps): ReactElement {
  if (refused !== null) return <RefusedNotice refused={refused} />;
  return (
    <p className="empty" role="status">
      {word}
    </p>
  );
}

/** Advice for programs at the end of a message; the page has a button in its place. */
const FOR_PROGRAMS = / Repeat with on_conflict=take_over to take (the field )?over$/;

type OwnedProps = Readonly<{ refused: Refused; onTakeOver: () => void; onDismiss?: (() => void) | undefined }>;

/** A refused change of a custom resource. If another manager owns the field, the notice offers to take it over. */
export function OwnedNotice({ refused, onTakeOver, onDismiss }: OwnedProps): ReactElement {
  if (refused.code !== 'field_owned_elsewhere') return <RefusedNotice refused={refused} onDismiss={onDismiss} />;
  return (
    <RefusedNotice refused={{ ...refused, detail: refused.detail.replace(FOR_PROGRAMS, '') }} onDismiss={onDismiss}>
      {' '}
      If you take it over, the village owns it, and the other manager gets a conflict when it writes it again.
      <Button word="Take it over" onClick={onTakeOver} data-action="take-over" />
    </RefusedNotice>
  );
}
