import type { ReactElement, ReactNode } from 'react';
import type { Intent } from '../client/query/use-intent.ts';
import { OwnedNotice, RefusedNotice } from './notices/refused-notice.tsx';

interface ActionFormProps {
  readonly label: string;
  readonly sending: Pick<Intent, 'busy' | 'refused'>;
  /** Whether what was written can be sent. */
  readonly ready: boolean;
  /** The text of the button; it names the effect and whom it affects. */
  readonly word: string;
  readonly danger?: boolean;
  readonly onSend: () => void;
  readonly onCancel?: () => void;
  /** For a write to a custom resource: sends it again and takes the fields that another manager owns. */
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
