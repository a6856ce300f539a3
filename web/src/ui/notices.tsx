import { type ReactElement, type ReactNode, useState } from 'react';
import type { IconName } from './icon-paths.ts';
import { Button, Icon, IconButton } from './controls.tsx';
import type { Refused } from '../client/api.ts';
import type { Pages } from '../client/query/use-live.ts';

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

export function Unread({ refused, word = 'Loading…' }: Readonly<{ refused: Refused | null; word?: string }>) {
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
export function OwnedNotice({ refused, onTakeOver, onDismiss }: OwnedProps) {
  if (refused.code !== 'field_owned_elsewhere') return <RefusedNotice refused={refused} onDismiss={onDismiss} />;
  return (
    <RefusedNotice refused={{ ...refused, detail: refused.detail.replace(FOR_PROGRAMS, '') }} onDismiss={onDismiss}>
      {' '}
      If you take it over, the village owns it, and the other manager gets a conflict when it writes it again.
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
  /** True if the list is alone on the page: its empty text then gets a card. */
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
