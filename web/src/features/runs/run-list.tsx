import type { ReactNode } from 'react';
import type { Run } from '@hamlet/contract';
import { titleFrom } from '@hamlet/core';
import { Avatar, Badge, Icon, MoreButton, RefusedNotice, Time, Unread, useNow } from '../../ui/controls.tsx';
import { MindName } from '../mind/mind-name.tsx';
import type { RunsLive } from './use-runs.ts';
import { timeAgo } from '../../ui/time-labels.ts';
import { useAgentName, useViewerId, useVillage } from '../village-context.ts';
import './runs.css';
import { originLabel, runLength, stateLabel, underParents } from './run-labels.ts';

interface ListProps {
  readonly live: RunsLive;
  readonly withAgent: boolean;
  readonly empty: ReactNode;
}

/** Runs, newest first; each opens its page. */
export function RunList({ live, withAgent, empty }: ListProps) {
  const now = useNow(1000);
  const { rows: runs, refused, more } = live;
  if (runs === null) return <Unread refused={refused} />;
  return (
    <>
      {refused !== null && <RefusedNotice refused={refused} />}
      {runs.length === 0 && <div className="empty">{empty}</div>}
      <ol className={`runs${withAgent ? ' runs-wide' : ''}`}>
        {underParents(runs).map(({ run, isUnder }) => (
          <RunRow key={run.run_id} run={run} now={now} isUnder={isUnder} withAgent={withAgent} />
        ))}
      </ol>
      <MoreButton more={more} word="Older runs" />
    </>
  );
}

type RowProps = Readonly<{ run: Run; now: number; isUnder: boolean; withAgent: boolean }>;

function RunRow({ run, now, isUnder, withAgent }: RowProps) {
  const { open } = useVillage();
  const name = useAgentName(run.agent_id);
  const viewer = useViewerId();
  const { word, tone } = stateLabel(run);
  return (
    <li className="run" data-run-id={run.run_id} data-state={run.state} data-under={isUnder}>
      <button type="button" className="run-line" onClick={() => open({ view: 'runs', run: run.run_id })}>
        {withAgent && (
          <span className="run-agent">
            <Avatar id={run.agent_id} size={26} />
            <b>{name}</b>
          </span>
        )}
        <Badge tone={tone}>{word}</Badge>
        <span className="run-prompt">{run.veiled === true ? 'A private task' : titleFrom(run.prompt)}</span>
        <span className="run-origin">
          <Icon name={run.schedule === null ? 'user' : 'calendar'} size={13} />
          {originLabel(run, viewer)}
          <MindName mind={run.mind} />
        </span>
        <span className="run-length">{runLength(run, now)}</span>
        <Time at={run.created_at} word={timeAgo(run.created_at, now)} />
      </button>
    </li>
  );
}
