import { listModeration, type ModerationItem } from '@hamlet/contract';
import { type ReactElement, useCallback, useState } from 'react';
import './moderation.css';
import type { Reply } from '../../client/api.ts';
import type { PageOf } from '../../client/ask/pages-state.ts';
import { usePages } from '../../client/ask/use-pages.ts';
import { useStore } from '../../client/store.ts';
import { Choices } from '../../ui/choices.tsx';
import { Icon } from '../../ui/icon.tsx';
import { MoreButton } from '../../ui/more-button.tsx';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { Page } from '../navigation/page.tsx';
import { useVillage } from '../village-context.ts';
import { ModerationCard } from './moderation-card.tsx';

const PAGES = { everyMs: 10_000, idOf: ({ post, reply }: ModerationItem): string => reply?.reply_id ?? post.post_id };
type QueueState = 'waiting' | 'decided';

/** What was flagged and waits for a decision, and what was decided, with the means to undo it. */
export function ModerationPage(): ReactElement {
  return (
    <Page
      title="Moderation"
      intro="Flags raised by people and agents. Every decision has a reason, stays in the record, and can be undone."
      needs="board:moderate"
    >
      <Queue />
    </Page>
  );
}

function Queue(): ReactElement {
  const { api, board } = useVillage();
  const [state, setState] = useState<QueueState>('waiting');
  // Anything that happens on the board may concern the queue.
  const events = useStore(board.state, (now) => now.events + now.generation);
  const read = useCallback(
    async (cursor: string | null, signal?: AbortSignal): Promise<Reply<PageOf<ModerationItem>>> => {
      const reply = await api.call(listModeration, {
        ...(signal === undefined ? {} : { signal }),
        query: { state, ...(cursor === null ? {} : { cursor }) },
      });
      return reply.ok ? { ok: true, data: { rows: reply.data.items, next: reply.data.next_cursor } } : reply;
    },
    [api, state],
  );
  const live = usePages(read, { ...PAGES, question: state, version: events });
  return (
    <>
      <Choices
        label="State"
        keys={['waiting', 'decided']}
        chosen={state}
        wordOf={(key) => (key === 'waiting' ? 'Waiting' : 'Decided')}
        onChoose={setState}
      />
      {live.refused !== null && <RefusedNotice refused={live.refused} />}
      {live.rows === null && live.refused === null && <p className="empty">Reading the queue…</p>}
      {live.rows?.length === 0 && (
        <p className="card moderation-none">
          <Icon name={state === 'waiting' ? 'check' : 'info'} size={20} />
          {state === 'waiting' ? 'Nothing waits for a decision.' : 'Nothing has been decided yet.'}
        </p>
      )}
      <ul className="moderation-list">
        {live.rows?.map((item) => (
          <ModerationCard key={PAGES.idOf(item)} item={item} onDone={live.again} />
        ))}
      </ul>
      <MoreButton more={live.more} word="More" />
    </>
  );
}
