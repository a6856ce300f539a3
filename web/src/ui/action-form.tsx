import type { ReactElement, ReactNode } from 'react';
import type { Sending } from '../client/ask/use-send.ts';
import { OwnedNotice } from './notices/owned-notice.tsx';
import { RefusedNotice } from './notices/refused-notice.tsx';

interface ActionFormProps {
  readonly label: string;
  readonly sending: Pick<Sending, 'busy' | 'refused'>;
  /** Whether what was written can be sent. */
  readonly ready: boolean;
  /** What the button says; it names the effect, and whom it meets. */
  readonly word: string;
  readonly danger?: boolean;
  readonly onSend: () => void;
  readonly onCancel?: () => void;
  /** Of a write to a custom resource: sends it again, taking the fields that another manager owns. */
  readonly onTakeOver?: () => void;
  readonly children: ReactNode;
}

/** A form of one act: its fields, what the api said against it, and the button that does it. */
export function ActionForm({
  label,
  sending,
  ready,
  word,
  danger = false,
  onSend,
  onCancel,
  onTakeOver,
  children,
}: ActionFormProps): ReactElement {
  return (
    <form
      className="form action-form"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        if (ready && !sending.busy) onSend();
      }}
    >
      {children}
      {sending.refused !== null &&
        (onTakeOver === undefined ? (
          <RefusedNotice refused={sending.refused} />
        ) : (
          <OwnedNotice refused={sending.refused} onTakeOver={onTakeOver} />
        ))}
      <div className="button-row action-buttons">
        <button
          type="submit"
          className={`button ${danger ? 'button-danger' : 'button-strong'}`}
          aria-disabled={!ready || sending.busy}
        >
          {sending.busy ? 'One moment…' : word}
        </button>
        {onCancel !== undefined && (
          <button type="button" className="button" onClick={onCancel}>
            Back
          </button>
        )}
      </div>
    </form>
  );
}
