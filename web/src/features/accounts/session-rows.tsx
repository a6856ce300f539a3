import type { Session } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { useNow } from '../../ui/use-now.ts';
import { deviceWords, sessionWords } from './account-words.ts';

/** Open sessions, a line each; `onEnd` ends one, where one may. */
export function SessionRows({
  sessions,
  onEnd,
}: {
  readonly sessions: readonly Session[];
  readonly onEnd: ((id: string) => void) | null;
}): ReactElement {
  const now = useNow(15_000);
  return (
    <ul className="session-rows">
      {sessions.map((session) => (
        <li key={session.session_id} data-session={session.session_id}>
          <span>
            <b>{deviceWords(session.user_agent)}</b>
            {session.current && <span className="role">this one</span>}
            <small>{sessionWords(session, now)}</small>
          </span>
          {onEnd !== null && !session.current && (
            <button type="button" className="button button-small" onClick={() => onEnd(session.session_id)}>
              End
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
