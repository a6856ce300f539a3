import type { ReactElement, ReactNode } from 'react';
import { Button } from './button.tsx';
import type { Intent } from '../client/query/use-intent.ts';
import { OwnedNotice, RefusedNotice } from './notices/refused-notice.tsx';

interface ActionFormProps {
  readonly label: string;
  readonly sending: Pick<Intent, 'busy' | 'refused'>;
  /** True if the fields can be sent. */
  readonly ready: boolean;
  /** The text of the button: the effect, and the object that it affects. */
  readonly word: string;
  readonly danger?: boolean;
  readonly onSend: () => void;
  readonly onCancel?: () => void;
  /** For a change of a custom resource: sends it again and takes over the fields of the other manager. */
  readonly onTakeOver?: () => void;
  readonly children: ReactNode;
}

/** A form for one act: its fields, the refusal of the API, and the button. */
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
        {onCancel !== undefined && <Button look="plain" word="Back" onClick={onCancel} />}
      </div>
    </form>
  );
}
