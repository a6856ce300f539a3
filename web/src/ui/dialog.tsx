import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Button, IconButton } from './controls.tsx';
import { Notice } from './notices.tsx';

interface DialogProps {
  readonly title: ReactNode;
  readonly className?: string;
  readonly image?: ReactNode;
  readonly onClose: () => void;
  /** Runs for Escape in place of `onClose`. */
  readonly onEscape?: () => void;
  /** Runs for the button ×, the last element, so that the dialog opens with the focus in its form. */
  readonly onCross?: () => void;
  readonly children: ReactNode;
}

export function Dialog(props: DialogProps) {
  const { title, className = '', image, onClose, onEscape, onCross, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const cancel = onEscape && {
    onCancel: (event: { preventDefault(): void }): void => {
      event.preventDefault();
      onEscape();
    },
  };
  return (
    <dialog ref={dialog} className={`dialog ${className}`} onClose={onClose} {...cancel} aria-labelledby={titleId}>
      {image}
      <h2 id={titleId}>{title}</h2>
      {children}
      {onCross !== undefined && <IconButton icon="close" label="Close" className="dialog-close" onClick={onCross} />}
    </dialog>
  );
}

/** The person changed something if `draft` differs from `start`, both as text. */
interface FormDialogProps extends Pick<DialogProps, 'onClose' | 'children'> {
  readonly title: string;
  readonly draft: string;
  readonly start: string;
}

/** A large form over the page. Escape and × ask for confirmation before they discard changes. */
export function FormDialog({ title, draft, start, onClose, children }: FormDialogProps) {
  const [leaving, setLeaving] = useState(false);
  useEffect(() => setLeaving(false), [draft]);
  const leave = (): void => {
    if (draft === start || leaving) onClose();
    else setLeaving(true);
  };
  return (
    <Dialog title={title} className="dialog-wide" onClose={onClose} onEscape={leave} onCross={leave}>
      {leaving && (
        <Notice tone="waiting" icon="alert" role="alert">
          Your changes are not saved.
          <span className="button-row">
            <Button word="Discard" onClick={onClose} />
            <Button word="Continue writing" onClick={() => setLeaving(false)} autoFocus />
          </span>
        </Notice>
      )}
      {children}
    </Dialog>
  );
}
