import { roleMay } from '@hamlet/contract';
import { type ReactElement, useMemo } from 'react';
import { Icon } from '../../../ui/icon.tsx';
import { Unread } from '../../../ui/notices/refused-notice.tsx';
import { ScriptedMark } from '../../scripted/scripted-mark.tsx';
import { useNow } from '../../../ui/time.tsx';
import { timeAgo } from '../../../ui/time-labels.ts';
import { SignInHint } from '../../sign-in/sign-in-hint.tsx';
import { useRole } from '../../village-context.ts';
import { dayPlanOf, type Purpose, purposeOutcome, purposesOf } from './purposes.ts';
import { useTurns } from './use-turns.ts';

/** The agent's acts by purpose, newest first: each opens to its acts with their reasons. */
export function PurposeList({ id }: { readonly id: string }): ReactElement {
  const may = roleMay(useRole(), 'turns:read');
  const { rows, refused } = useTurns(id, may);
  const now = useNow(10_000);
  const purposes = useMemo(() => purposesOf(rows ?? []), [rows]);
  const plan = useMemo(() => dayPlanOf(rows ?? []), [rows]);
  if (!may) return <SignInHint text="The reasons of an agent are for members." />;
  if (rows === null) return <Unread refused={refused} />;
  if (purposes.length === 0)
    return <p className="empty">Nothing yet. A purpose appears with the agent's first turn.</p>;
  return (
    <>
      {plan !== null && <p className="hint">Its plan for today: {plan}</p>}
      <ol className="turns purposes">
        {purposes.map((purpose) => (
          <PurposeEntry key={purpose.key} purpose={purpose} now={now} />
        ))}
      </ol>
    </>
  );
}

function PurposeEntry({ purpose, now }: Readonly<{ purpose: Purpose; now: number }>): ReactElement {
  const { title, at, acts } = purpose;
  return (
    <li className="turn" data-by={purpose.by}>
      <details>
        <summary>
          <Icon name="chevron" size={13} />
          <span className="turn-goal">{title}</span>
          <span className="purpose-outcome">
            {purpose.by === 'model' && <b>its own choice · </b>}
            {purposeOutcome(purpose)}
          </span>
          <time dateTime={at}>{timeAgo(at, now)}</time>
        </summary>
        <p className="hint">
          <ChosenBy purpose={purpose} />
        </p>
        {acts.length > 0 && (
          <ol className="purpose-acts">
            {acts.map(({ key, did, why, at: when, times, refused }) => (
              <li key={key}>
                <span className={refused ? 'turn-refused' : undefined}>
                  {did}
                  {times > 1 && ` (${times} times)`}
                </span>
                <time dateTime={when}>{timeAgo(when, now)}</time>
                {why !== '' && <p>Because: {why}</p>}
              </li>
            ))}
          </ol>
        )}
      </details>
    </li>
  );
}

function ChosenBy({ purpose: { by, model } }: { readonly purpose: Purpose }): ReactElement {
  if (by === 'model') return <>Chosen by {model === null ? 'a language model' : `the model ${model}`}.</>;
  return <ScriptedMark hint="Rules of the village chose this, not a language model" />;
}
