import type { ReactNode } from 'react';
import type { Run } from '@hamlet/contract';
import { Avatar, Badge, Icon, MoreButton, RefusedNotice, Time, Unread, useNow } from '../../ui/controls.tsx';
import type { RunsLive } from './use-runs.ts';
import { timeAgo } from '../../ui/time-labels.ts';
import { useAgentName, useViewerId } from '../village-context.ts';
import { RunDetails } from './run-details.tsx';
import './runs.css';
import { originLabel, runLength, stateLabel } from './run-labels.ts';

interface ListProps {
  readonly live: RunsLive;
  readonly opened: string | null;
  readonly onOpen: (id: string | null) => void;
  readonly withAgent: boolean;
  readonly empty: ReactNode;
}

export function RunList({ live, opened, onOpen, withAgent, empty }: ListProps) {
  const now = useNow(1000);
  const { rows: runs, refused, more } = live;
  if (runs === null) return <Unread refused={refused} />;
  return (
    <>
      {refused !== null && <RefusedNotice refused={refused} />}
      {runs.length === 0 && <div className="empty">{empty}</div>}
      <ol className={`runs${withAgent ? ' runs-wide' : ''}`}>
        {runs.map((run) => (
          <RunRow
            key={run.run_id}
            run={run}
            now={now}
            open={opened === run.run_id}
            onOpen={(on) => onOpen(on ? run.run_id : null)}
            withAgent={withAgent}
            onChanged={live.again}
          />
        ))}
      </ol>
      <MoreButton more={more} word="Older runs" />
    </>
  );
}

interface RowProps {
  readonly run: Run;
  readonly now: number;
  readonly open: boolean;
  readonly onOpen: (on: boolean) => void;
  readonly withAgent: boolean;
  readonly onChanged: () => void;
}

export function RunRow({ run, now, open, onOpen, withAgent, onChanged }: RowProps) {
  const name = useAgentName(run.agent_id);
  const viewer = useViewerId();
  const { word, tone } = stateLabel(run);
  return (
    <li className="run" data-run-id={run.run_id} data-state={run.state}>
      <button type="button" className="run-line" aria-expanded={open} onClick={() => onOpen(!open)}>
        {withAgent && (
          <span className="run-agent">
            <Avatar id={run.agent_id} size={26} />
            <b>{name}</b>
          </span>
        )}
        <Badge tone={tone}>{word}</Badge>
        <span className="run-prompt">{run.prompt}</span>
        <span className="run-origin">
          <Icon name={run.schedule === null ? 'user' : 'calendar'} size={13} />
          {originLabel(run, viewer)}
        </span>
        <span className="run-length">{runLength(run, now)}</span>
        <Time at={run.created_at} word={timeAgo(run.created_at, now)} />
      </button>
      {open && <RunDetails run={run} onChanged={onChanged} />}
    </li>
  );
}
