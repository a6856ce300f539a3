import { type AgentDetail, type ChatSession, listAgentSessions } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { usePages } from '../../client/query/use-pages.ts';
import { Badge } from '../../ui/badge.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { Time, useNow } from '../../ui/time.tsx';
import { timeAgo } from '../../ui/time-labels.ts';
import { useVillage } from '../village-context.ts';
import { SESSION_STATES } from './chat-labels.ts';

const PAGE = 20;
const EVERY_MS = 5_000;

/** The viewer's conversations with an agent, the newest first. */
export function ConversationList({ agent }: { readonly agent: AgentDetail }): ReactElement {
  const params = { agent_id: agent.agent_id };
  const pages = usePages(listAgentSessions, (cursor) => ({ params, query: { limit: PAGE, ...cursor } }), {
    everyMs: EVERY_MS,
    pageOf: ({ sessions: rows, next_cursor: next }) => ({ rows, next }),
    idOf: ({ session_id: id }) => id,
  });
  const now = useNow(10_000);
  return (
    <PagedList
      pages={pages}
      className="conversations"
      label={`Conversations with ${agent.display_name}`}
      older="Older conversations"
      empty={
        <span className="chat-welcome">
          <b>Talk to {agent.display_name}.</b> Ask a question or give it a task. Your conversations stay here; only
          their people and admins read them.
        </span>
      }
    >
      {(session) => <ConversationRow key={session.session_id} session={session} now={now} />}
    </PagedList>
  );
}

function ConversationRow({ session, now }: Readonly<{ session: ChatSession; now: number }>): ReactElement {
  const { open } = useVillage();
  const { word, tone } = SESSION_STATES[session.state];
  return (
    <li>
      <button
        type="button"
        className="conversation-row"
        data-session={session.session_id}
        onClick={() => open({ chat: session.session_id })}
      >
        <b className="conversation-title">{session.title}</b>
        <Time at={session.last_at} word={timeAgo(session.last_at, now)} />
        <span className="conversation-facts">
          {session.state !== 'idle' && <Badge tone={tone}>{word}</Badge>}
          {session.waiting > 0 && <span>{session.waiting} waiting</span>}
          {session.people.length > 1 && <span>{session.people.map(({ name }) => name).join(', ')}</span>}
        </span>
      </button>
    </li>
  );
}
