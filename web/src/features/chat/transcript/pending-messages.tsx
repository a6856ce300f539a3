import type { SessionMessage } from '@hamlet/contract';
import { type ReactElement, useEffect } from 'react';
import { NO_TEXTS } from '../../../client/outbox.ts';
import { useStore } from '../../../client/store.ts';
import { Button } from '../../../ui/button.tsx';
import { RefusedNotice } from '../../../ui/notices/refused-notice.tsx';
import { useVillage } from '../../village-context.ts';

type PendingProps = Readonly<{ sessionId: string; shown: readonly SessionMessage[] }>;

/** Messages that are being sent or were refused. One leaves this list as soon as the transcript shows it. */
export function PendingMessages({ sessionId, shown }: PendingProps): ReactElement | null {
  const {
    messages: { outbox },
  } = useVillage();
  const pending = useStore(outbox.state, (sessions) => sessions.get(sessionId) ?? NO_TEXTS);
  useEffect(
    () => outbox.seen(sessionId, new Set(shown.map(({ message_id: id }) => id))),
    [outbox, sessionId, shown, pending],
  );
  if (pending.length === 0) return null;
  return (
    <ol className="transcript">
      {pending.map((entry) => (
        <li key={entry.id} data-pending={entry.refused === null ? 'sending' : 'refused'}>
          <p className="bubble prose">{entry.body}</p>
          {entry.refused === null ? (
            <p className="message-facts" role="status">
              <span className="spinner spinner-small" aria-hidden="true" /> On its way…
            </p>
          ) : (
            <RefusedNotice refused={entry.refused}>
              <span className="button-row">
                <Button word="Send again" onClick={() => void outbox.again(sessionId, entry)} />
                <Button word="Discard" onClick={() => outbox.drop(sessionId, entry.id)} />
              </span>
            </RefusedNotice>
          )}
        </li>
      ))}
    </ol>
  );
}
