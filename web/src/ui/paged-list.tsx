import { type ReactElement, type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import type { Pages } from '../client/query/use-pages.ts';
import { RefusedNotice, Unread } from './notices/refused-notice.tsx';

type MoreButtonProps = Readonly<{ more: (() => Promise<void>) | null; word: string }>;

/** A button that reads the next page of a list; nothing at the end. */
export function MoreButton({ more, word }: MoreButtonProps): ReactElement | null {
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
  /** The text of an empty list, which says what will appear in it. */
  readonly empty: ReactNode;
  /** True if the list is alone on the page: its empty text then gets a card. */
  readonly card?: boolean;
  /** The text of the button for the next page. */
  readonly older: string;
  /** Renders a row as a list item with a key. */
  readonly children: (row: T) => ReactElement;
}

/**
 * The rows of a list in pages, with the refusal of the last request and a button for the next page. An empty list shows
 * a text.
 */
export function PagedList<T>(props: PagedListProps<T>): ReactElement {
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
