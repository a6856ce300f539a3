import type { ChatSession } from '@hamlet/contract';
import { Time } from '../../ui/controls.tsx';
import { timeAgo } from '../../ui/time-labels.ts';
import { UnreadMark } from '../away/unread-mark.tsx';
import { useUnread } from '../away/use-unread.ts';
import { useVillage } from '../village-context.ts';
import { SessionBadge } from './session-badge.tsx';

/** A conversation in the timeline of its agent; it opens the conversation. */
export function ConversationRow({ session, now }: Readonly<{ session: ChatSession; now: number }>) {
  const { open } = useVillage();
  const unread = useUnread().sessions.get(session.session_id) ?? 0;
  return (
    <li>
      <button
        type="button"
        className="conversation-row"
        data-session={session.session_id}
        onClick={() => open({ chat: session.session_id })}
      >
        <b className="conversation-title">{session.title}</b>
        <UnreadMark texts={unread} />
        <Time at={session.last_at} word={timeAgo(session.last_at, now)} />
        <span className="conversation-facts">
          <SessionBadge session={session} />
          {session.waiting > 0 && <span>{session.waiting} waiting</span>}
          {session.people.length > 1 && <span>{session.people.map(({ name }) => name).join(', ')}</span>}
        </span>
      </button>
    </li>
  );
}
