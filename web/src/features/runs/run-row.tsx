import type { Run } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { Avatar } from '../../ui/avatar.tsx';
import { Icon } from '../../ui/icon.tsx';
import { timeAgo } from '../../ui/time-words.ts';
import { useViewerId, useVillageState } from '../village-context.ts';
import { RunDetails } from './run-details.tsx';
import { originWords, runLength, stateWords } from './run-words.ts';

interface RowProps {
  readonly run: Run;
  readonly now: number;
  readonly open: boolean;
  readonly onOpen: (on: boolean) => void;
  readonly withAgent: boolean;
  readonly onChanged: () => void;
}

/** One run in a line; opened, all that is known of it. */
export function RunRow({ run, now, open, onOpen, withAgent, onChanged }: RowProps): ReactElement {
  const name = useVillageState((state) => state.details.get(run.agent_id)?.display_name ?? run.agent_id);
  const viewer = useViewerId();
  const { word, tone } = stateWords(run);
  return (
    <li className="run" data-run-id={run.run_id} data-state={run.state}>
      <button type="button" className="run-line" aria-expanded={open} onClick={() => onOpen(!open)}>
        {withAgent && (
          <span className="run-agent">
            <Avatar id={run.agent_id} size={26} />
            <b>{name}</b>
          </span>
        )}
        <span className={`badge badge-${tone}`}>
          <span className={`mark mark-${tone}`} aria-hidden="true" />
          {word}
        </span>
        <span className="run-prompt">{run.prompt}</span>
        <span className="run-origin">
          <Icon name={run.schedule === null ? 'user' : 'calendar'} size={13} />
          {originWords(run, viewer)}
        </span>
        <span className="run-length">{runLength(run, now)}</span>
        <time dateTime={run.created_at} title={run.created_at}>
          {timeAgo(run.created_at, now)}
        </time>
      </button>
      {open && <RunDetails run={run} onChanged={onChanged} />}
    </li>
  );
}
