import { type AccountDetail, endAccountSessions, listAccountSessions, type Session } from '@hamlet/contract';
import { useIntent, useLive } from '../../client/query/use-live.ts';
import { Button, RefusedNotice, useNow } from '../../ui/controls.tsx';
import { deviceLabel, sessionLabel } from './account-labels.ts';

const REFRESH_MS = 10_000;

export function SessionList({ account, onChanged }: Readonly<{ account: AccountDetail; onChanged: () => void }>) {
  const sending = useIntent();
  const id = account.account_id;
  const live = useLive(listAccountSessions, { params: { account_id: id } }, REFRESH_MS);
  const end = async (): Promise<void> => {
    const data = await sending.call(endAccountSessions, { params: { account_id: id } });
    if (data === null) return;
    live.again();
    onChanged();
  };
  const sessions = live.data?.sessions ?? [];
  return (
    <section className="sessions" aria-label="Sessions">
      <h3 className="section-name">Sessions</h3>
      {live.refused !== null && <RefusedNotice refused={live.refused} />}
      {live.data !== null && sessions.length === 0 && <p className="hint">No open sessions.</p>}
      <SessionRows sessions={sessions} onEnd={null} />
      {sessions.length > 0 && (
        <Button
          word={sessions.length === 1 ? 'End the session' : `End all ${sessions.length} sessions`}
          aria-disabled={sending.busy}
          onClick={() => void end()}
          data-act="end-sessions"
        />
      )}
      {sending.refused !== null && <RefusedNotice refused={sending.refused} />}
    </section>
  );
}

type SessionRowsProps = Readonly<{ sessions: readonly Session[]; onEnd: ((id: string) => void) | null }>;

/** The open sessions, a line each. `onEnd` ends one session; null if the viewer may not end sessions. */
export function SessionRows({ sessions, onEnd }: SessionRowsProps) {
  const now = useNow(15_000);
  return (
    <ul className="session-rows">
      {sessions.map((session) => (
        <li key={session.session_id} data-session={session.session_id}>
          <span>
            <b>{deviceLabel(session.user_agent)}</b>
            {session.current && <span className="role">this one</span>}
            <small>{sessionLabel(session, now)}</small>
          </span>
          {onEnd !== null && !session.current && <Button word="End" onClick={() => onEnd(session.session_id)} />}
        </li>
      ))}
    </ul>
  );
}
