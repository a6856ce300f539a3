import type { ComponentProps, ReactElement, ReactNode } from 'react';
import { Component, Suspense, useEffect, useId, useRef, useState } from 'react';
import { ICON_PATHS, type IconName } from './icon-paths.ts';
import type { Refused } from '../client/api.ts';
import type { Pages } from '../client/query/use-live.ts';
import { lookOf, paintFigure } from '../canvas/render/art/figure-art.ts';
import { LOOKS } from '../canvas/model/draw-list.ts';
import { hashText } from '../canvas/model/noise.ts';

type Own = Readonly<{
  word: ReactNode;
  icon?: IconName;
  iconPx?: number;
  look?: 'small' | 'plain' | 'strong' | 'danger';
}>;
type Native = Omit<ComponentProps<'button'>, 'children'>;

/** A button with a text, and an icon before it. All buttons here take the attributes of `<button>` and `data-` attributes. */
export function Button({ word, icon, iconPx = 16, look = 'small', className, ...native }: Own & Native) {
  return (
    <button type="button" {...native} className={joined(`button button-${look}`, className)}>
      {icon !== undefined && <Icon name={icon} size={iconPx} />}
      {word}
    </button>
  );
}

export function LinkButton({ word, className, ...native }: Pick<Own, 'word'> & Native) {
  return (
    <button type="button" {...native} className={joined('link', className)}>
      {word}
    </button>
  );
}

type IconButtonProps = Native & Readonly<{ icon: IconName; iconPx?: number; label: string }>;

export function IconButton({ icon, iconPx = 18, label, className, ...native }: IconButtonProps) {
  return (
    <button type="button" {...native} className={joined('icon-button', className)} aria-label={label}>
      <Icon name={icon} size={iconPx} />
    </button>
  );
}

const joined = (own: string, more: string | undefined): string => (more === undefined ? own : `${own} ${more}`);

/** A line icon in the colour of the text; decoration only, so it is hidden from assistive technology. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={ICON_PATHS[name]} />
    </svg>
  );
}

export type Tone = 'good' | 'waiting' | 'bad' | 'sleep';

export function Badge({ tone, children, ...native }: Readonly<{ tone: Tone }> & ComponentProps<'span'>) {
  return (
    <span {...native} className={`badge badge-${tone}`}>
      <span className={`mark mark-${tone}`} aria-hidden="true" />
      {children}
    </span>
  );
}

export function Fact({ name, ...value }: Readonly<{ name: string }> & ComponentProps<'dd'>) {
  return (
    <>
      <dt>{name}</dt>
      <dd {...value} />
    </>
  );
}

/** A part of a page with its title. Takes `data-` attributes. */
export function Part({ name, className, children, ...native }: Readonly<{ name: string }> & ComponentProps<'section'>) {
  return (
    <section {...native} className={joined('part', className)} aria-label={name}>
      <h2>{name}</h2>
      {children}
    </section>
  );
}

export function Time({ at, word, title = at }: Readonly<{ at: string; word: string; title?: string }>) {
  return (
    <time dateTime={at} title={title}>
      {word}
    </time>
  );
}

/** The time in Unix milliseconds, updated every `everyMs`, for texts such as "in 5 min". */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

const ICONS: Readonly<Record<NoticeTone, IconName>> = { good: 'check', waiting: 'clock', bad: 'alert', info: 'info' };
type NoticeTone = 'good' | 'waiting' | 'bad' | 'info';

interface NoticeProps {
  readonly tone: NoticeTone;
  /** The default is the icon of the tone; null shows none. */
  readonly icon?: IconName | 'spinner' | null;
  /** The default for a bad notice is `alert`, which interrupts a screen reader; for others it is `status`. */
  readonly role?: 'alert' | 'status';
  readonly className?: string;
  readonly end?: ReactNode;
  readonly children: ReactNode;
}

/** A message in a box; a screen reader announces it when it appears. Takes `data-` attributes. */
export function Notice(props: NoticeProps) {
  const {
    tone,
    icon = ICONS[tone],
    role = tone === 'bad' ? 'alert' : 'status',
    className,
    end,
    children,
    ...data
  } = props;
  return (
    <div {...data} className={`notice notice-${tone}${className === undefined ? '' : ` ${className}`}`} role={role}>
      {icon === 'spinner' && <span className="spinner spinner-small" aria-hidden="true" />}
      {icon !== null && icon !== 'spinner' && <Icon name={icon} size={16} />}
      <span>{children}</span>
      {end}
    </div>
  );
}

type RefusedProps = Readonly<{ refused: Refused; onDismiss?: (() => void) | undefined; children?: ReactNode }>;

export function RefusedNotice({ refused, onDismiss, children }: RefusedProps) {
  const dismiss = onDismiss && <IconButton icon="close" iconPx={14} label="Dismiss" onClick={onDismiss} />;
  return (
    <Notice tone="bad" data-code={refused.code} end={dismiss}>
      <b>{refused.title}.</b> {refused.detail !== refused.title && refused.detail}
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

export function Unread({ refused, word = 'Loading…' }: Readonly<{ refused: Refused | null; word?: string }>) {
  if (refused !== null) return <RefusedNotice refused={refused} />;
  return (
    <p className="empty" role="status">
      {word}
    </p>
  );
}

type OwnedProps = Readonly<{ refused: Refused; onTakeOver: () => void; onDismiss?: (() => void) | undefined }>;

/** A refused change of a custom resource. If another manager owns the field, the notice offers to take it over. */
export function OwnedNotice({ refused, onTakeOver, onDismiss }: OwnedProps) {
  if (refused.code !== 'field_owned_elsewhere') return <RefusedNotice refused={refused} onDismiss={onDismiss} />;
  return (
    <RefusedNotice refused={{ ...refused, title: 'Another manager owns this field' }} onDismiss={onDismiss}>
      . If you take it over, the village owns it, and the other manager gets a conflict when it writes it again.
      <Button word="Take it over" onClick={onTakeOver} data-action="take-over" />
    </RefusedNotice>
  );
}

export function MoreButton({ more, word }: Readonly<{ more: (() => Promise<void>) | null; word: string }>) {
  const [busy, setBusy] = useState(false);
  if (more === null) return null;
  const read = async (): Promise<void> => {
    setBusy(true);
    await more();
    setBusy(false);
  };
  return <Button className="more" word={busy ? 'Loading…' : word} disabled={busy} onClick={() => void read()} />;
}

interface PagedListProps<T> {
  readonly pages: Pick<Pages<T, unknown>, 'rows' | 'refused' | 'more'>;
  readonly className: string;
  readonly label?: string;
  readonly empty: ReactNode;
  /** True if the list is the only content of the page; its empty text then gets a card. */
  readonly card?: boolean;
  readonly older: string;
  readonly children: (row: T) => ReactElement;
}

export function PagedList<T>(props: PagedListProps<T>) {
  const { pages, className, label, empty, card = false, older, children } = props;
  const { rows, refused, more } = pages;
  return (
    <>
      {rows !== null && refused !== null && <RefusedNotice refused={refused} />}
      {rows === null && <Unread refused={refused} />}
      {rows?.length === 0 && <p className={card ? 'card empty' : 'empty'}>{empty}</p>}
      {rows !== null && rows.length > 0 && (
        <ul className={className} aria-label={label}>
          {rows.map(children)}
        </ul>
      )}
      <MoreButton more={more} word={older} />
    </>
  );
}

export function Avatar({ id, size = 36, dimmed = false }: Readonly<{ id: string; size?: number; dimmed?: boolean }>) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const ctx = canvas.current?.getContext('2d');
    if (ctx === null || ctx === undefined) return;
    const pixels = size * 2;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, pixels, pixels);
    // Shows head and shoulders, which are in the upper middle of the cell, at 1.7 times the size.
    ctx.scale(pixels * 1.7, pixels * 1.7);
    ctx.translate(-0.206, -0.1);
    paintFigure(ctx, lookOf(hashText(id, LOOKS)), { facing: 'south', step: 0 });
  }, [id, size]);
  return (
    <canvas
      ref={canvas}
      className={`avatar${dimmed ? ' avatar-dimmed' : ''}`}
      width={size * 2}
      height={size * 2}
      style={{ width: size, height: size }}
      aria-hidden="true"
    />
  );
}

interface DialogProps {
  readonly title: ReactNode;
  readonly className?: string;
  readonly image?: ReactNode;
  readonly onClose: () => void;
  /** Called on Escape instead of `onClose`. */
  readonly onEscape?: () => void;
  /** Called by the button ×, which is the last element, so that the dialog opens with the focus in its form. */
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

interface BoundaryProps {
  readonly children: ReactNode;
  readonly fallback: ReactNode;
  /** Replaces a part that failed; by default a screen with a button that loads the page again. */
  readonly failed?: ReactNode;
}
type BoundaryState = Readonly<{ failed: boolean }>;

/** Shows a replacement if a part fails. It is a class, because React has no other way to catch errors. */
export class LazyBoundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { failed: false };

  static getDerivedStateFromError(): BoundaryState {
    return { failed: true };
  }

  override componentDidCatch(error: unknown): void {
    console.error('a part of the page failed', error);
  }

  override render(): ReactNode {
    if (!this.state.failed) return <Suspense fallback={this.props.fallback}>{this.props.children}</Suspense>;
    if (this.props.failed !== undefined) return this.props.failed;
    return (
      <div className="screen" role="alert">
        <h1>This part of the page could not be shown</h1>
        <p>The village may have been upgraded since this page was opened, or the network is gone.</p>
        <Button look="strong" word="Load the page again" onClick={() => window.location.reload()} />
      </div>
    );
  }
}
