import { useEffect } from 'react';
import { NO_TEXTS, type Outbox } from '../client/outbox.ts';
import { useStore } from '../client/store.ts';
import { Button, RefusedNotice } from '../ui/controls.tsx';
import { chipOf, FileChips } from './given-files/file-chips.tsx';
import { Markdown } from './markdown/markdown.tsx';

interface PendingProps {
  readonly outbox: Pick<Outbox<unknown>, 'state' | 'seen' | 'again' | 'drop'>;
  readonly placeId: string;
  /** The ids of the texts that the page shows. A text leaves this list as soon as it is among them. */
  readonly shown: readonly string[];
  readonly classes: Readonly<{ list: string; item?: string; text?: string; hint: string }>;
}

/** The texts for one place that are being sent or were refused. */
export function PendingTexts({ outbox, placeId, shown, classes }: PendingProps) {
  const pending = useStore(outbox.state, (places) => places.get(placeId) ?? NO_TEXTS);
  useEffect(() => outbox.seen(placeId, new Set(shown)));
  if (pending.length === 0) return null;
  return (
    <ol className={classes.list}>
      {pending.map((entry) => (
        <li key={entry.id} className={classes.item} data-pending={entry.refused === null ? 'sending' : 'refused'}>
          <Markdown className={classes.text} text={entry.body} />
          <FileChips files={entry.files.map(chipOf)} />
          {entry.refused === null ? (
            <p className={classes.hint} role="status">
              <span className="spinner spinner-small" aria-hidden="true" /> On its way…
            </p>
          ) : (
            <RefusedNotice refused={entry.refused}>
              <span className="button-row">
                <Button word="Send again" onClick={() => void outbox.again(placeId, entry)} />
                <Button word="Discard" onClick={() => outbox.drop(placeId, entry.id)} />
              </span>
            </RefusedNotice>
          )}
        </li>
      ))}
    </ol>
  );
}
