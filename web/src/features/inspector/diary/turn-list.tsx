import { roleMay } from '@hamlet/contract';
import { type ReactElement, useMemo } from 'react';
import { MoreButton } from '../../../ui/paged-list.tsx';
import { RefusedNotice, Unread } from '../../../ui/notices/refused-notice.tsx';
import { timeAgo } from '../../../ui/time-labels.ts';
import { SignInHint } from '../../sign-in/sign-in-hint.tsx';
import { useRole } from '../../village-context.ts';
import { type DiaryEntry, diaryOf } from './turn-stays.ts';
import { reasonOf, turnLabel } from './turn-labels.ts';
import { type Turn, useTurns } from './use-turns.ts';

/**
 * The agent's diary: one entry for each stay, with the turns in which something happened. A button reads older turns.
 */
export function TurnList({ id }: { readonly id: string }): ReactElement {
  const may = roleMay(useRole(), 'turns:read');
  const { rows, refused, more } = useTurns(id, may);
  const entries = useMemo(() => diaryOf(rows ?? []), [rows]);
  const reasons = useMemo(
    () => new Map((rows ?? []).map((turn, index, all) => [turn.turn_id, reasonOf(all, index)])),
    [rows],
  );
  if (!may) return <SignInHint text="An agent's diary is for members." />;
  if (rows === null) return <Unread refused={refused} />;
  if (rows.length === 0) return <p className="empty">Nothing yet. A turn appears each time the agent thinks.</p>;
  return (
    <>
      {refused !== null && <RefusedNotice refused={refused} />}
      <ol className="turns">
        {entries.map((entry) => (
          <StayEntry key={entry.key} entry={entry} reasons={reasons} />
        ))}
      </ol>
      <MoreButton more={more} word="Older turns" />
    </>
  );
}

type StayProps = Readonly<{ entry: DiaryEntry<Turn>; reasons: ReadonlyMap<string, string> }>;

function StayEntry({ entry: { title, text, at, turns }, reasons }: StayProps): ReactElement {
  return (
    <li className="turn">
      <details>
        <summary>
          <span className="turn-goal">{title}</span>
          <time dateTime={at}>{timeAgo(at, Date.now())}</time>
        </summary>
        {turns.map((turn) => (
          <TurnFacts key={turn.turn_id} turn={turn} why={reasons.get(turn.turn_id) ?? ''} />
        ))}
      </details>
      {text !== '' && <p>{text}</p>}
    </li>
  );
}

function TurnFacts({ turn, why }: { readonly turn: Turn; readonly why: string }): ReactElement {
  const words = turnLabel(turn);
  return (
    <dl>
      <dt>Saw</dt>
      <dd>{words.wake === '' ? words.saw : `${words.wake}; ${words.saw}`}</dd>
      <dt>Decided</dt>
      <dd>
        {words.goal}
        {why !== words.goal && why !== '' && <>, because {why}</>}
      </dd>
      {words.did !== '' && (
        <>
          <dt>Did</dt>
          <dd className={words.refused ? 'turn-refused' : ''}>{words.did}</dd>
        </>
      )}
    </dl>
  );
}
