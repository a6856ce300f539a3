import { listMessages } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { type Conversation, withMessages } from '../../../client/minds/conversation.ts';
import type { Refused } from '../../../client/api.ts';
import { MoreButton } from '../../../ui/paged-list.tsx';
import { RefusedNotice } from '../../../ui/notices/refused-notice.tsx';
import { useVillage } from '../../village-context.ts';

interface OlderProps {
  readonly sessionId: string;
  readonly state: Conversation;
  readonly change: (change: (state: Conversation) => Conversation) => void;
}

/** Pages that one click may read to get past the messages that the stream sent already. */
const PAGES_PER_CLICK = 4;
const PAGE = 100;

/** A button that reads the messages before those of the stream; nothing if the first message is shown. */
export function OlderMessages({ sessionId, state, change }: OlderProps): ReactElement | null {
  const { api } = useVillage();
  const [cursor, setCursor] = useState<string | null>(null);
  const [refused, setRefused] = useState<Refused | null>(null);
  const first = state.messages[0]?.number ?? 1;
  if (first <= 1) return null;
  const read = async (): Promise<void> => {
    let next = cursor;
    for (let page = 0; page < PAGES_PER_CLICK; page += 1) {
      const query = { limit: PAGE, ...(next === null ? {} : { cursor: next }) };
      const reply = await api.call(listMessages, { params: { session_id: sessionId }, query });
      setRefused(reply.ok ? null : reply.refused);
      if (!reply.ok) return;
      change((now) => withMessages(now, reply.data.messages));
      next = reply.data.next_cursor;
      setCursor(next);
      if (next === null || reply.data.messages.some(({ number }) => number < first)) return;
    }
  };
  return (
    <>
      <MoreButton more={read} word="Older messages" />
      {refused !== null && <RefusedNotice refused={refused} />}
    </>
  );
}
