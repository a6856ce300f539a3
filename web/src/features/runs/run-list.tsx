import type { ReactElement, ReactNode } from 'react';
import { MoreButton } from '../../ui/more-button.tsx';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { useNow } from '../../ui/use-now.ts';
import { RunRow } from './run-row.tsx';
import type { RunsLive } from './use-runs.ts';

interface ListProps {
  readonly live: RunsLive;
  readonly opened: string | null;
  readonly onOpen: (id: string | null) => void;
  readonly withAgent: boolean;
  readonly empty: ReactNode;
}

/** Runs, newest first; one of them may be open. */
export function RunList({ live, opened, onOpen, withAgent, empty }: ListProps): ReactElement {
  const now = useNow(1000);
  const { runs, refused, more } = live;
  if (runs === null) return refused === null ? <p className="empty">Reading…</p> : <RefusedNotice refused={refused} />;
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
