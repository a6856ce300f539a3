import { type ReactElement, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Button, IconButton } from './button.tsx';
import { Icon } from './icon.tsx';

/** `draft` is the present content as text, and `start` the content when the dialog opened; they differ if the person changed something. */
interface DialogProps {
  readonly title: string;
  readonly draft: string;
  readonly start: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A large form over the page. Escape asks for confirmation before it discards changes. */
export function FormDialog({ title, draft, start, onClose, children }: DialogProps): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const [leaving, setLeaving] = useState(false);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  useEffect(() => setLeaving(false), [draft]);
  const leave = (): void => {
    if (draft === start || leaving) onClose();
    else setLeaving(true);
  };
  return (
    <dialog
      ref={dialog}
      className="dialog dialog-wide"
      onCancel={(event) => {
        event.preventDefault();
        leave();
      }}
      aria-labelledby={titleId}
    >
      <h2 id={titleId}>{title}</h2>
      {leaving && (
        <div className="notice notice-waiting" role="alert">
          <Icon name="alert" size={16} />
          <span>
            Your changes are not saved.
            <span className="button-row">
              <Button word="Discard" onClick={onClose} />
              <Button word="Continue writing" onClick={() => setLeaving(false)} autoFocus />
            </span>
          </span>
        </div>
      )}
      {children}
      <IconButton icon="close" label="Close" className="dialog-close" onClick={leave} />
    </dialog>
  );
}
