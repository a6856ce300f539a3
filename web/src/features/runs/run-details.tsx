import { cancelRun, listRunEvents, type Run } from '@hamlet/contract';
import { isSettled } from '@hamlet/core';
import type { ReactElement } from 'react';
import { useIntent } from '../../client/query/use-intent.ts';
import { useLive } from '../../client/query/use-live.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Time } from '../../ui/time.tsx';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { dateTime } from '../../ui/time-labels.ts';
import { useRole, useViewerId, useVillage } from '../village-context.ts';
import { eventLabel, mayCancel } from './run-labels.ts';

/** The interval at which the page reads the events of an active run. */
const LIVE_MS = 1500;
const SETTLED_MS = 60_000;

/** A run's outcome, its events, and the button that ends it. */
export function RunDetails({ run, onChanged }: { readonly run: Run; readonly onChanged: () => void }): ReactElement {
  const { open, select } = useVillage();
  return (
    <div className="run-details">
      <dl className="run-facts">
        {run.summary !== null && (
          <>
            <dt>Summary</dt>
            <dd className="prose run-summary">{run.summary}</dd>
          </>
        )}
        {run.error !== null && (
          <>
            <dt>Error</dt>
            <dd>
              <code className="reason">{run.error.code}</code> {run.error.message}
            </dd>
          </>
        )}
        <dt>Agent</dt>
        <dd>
          <LinkButton word={run.agent_id} onClick={() => select(run.agent_id)} />
          {run.cycle !== null && <>, cycle {run.cycle}</>}
          {run.attempt > 1 && <>, started {run.attempt} times</>}
        </dd>
        {run.schedule !== null && (
          <>
            <dt>Schedule</dt>
            <dd>
              <ScheduleLink name={run.schedule.name} onOpen={(schedule) => open({ view: 'schedules', schedule })} />,
              for {dateTime(Date.parse(run.schedule.slot))}
            </dd>
          </>
        )}
        <dt>Course</dt>
        <dd>
          <Course run={run} />
        </dd>
      </dl>
      <CancelRun run={run} onChanged={onChanged} />
    </div>
  );
}

function ScheduleLink({ name, onOpen }: Readonly<{ name: string; onOpen: (name: string) => void }>): ReactElement {
  return <LinkButton word={name} onClick={() => onOpen(name)} />;
}

function Course({ run }: { readonly run: Run }): ReactElement {
  // A new state repeats the request at once, so that the row and the events show the end of the run together.
  const everyMs = isSettled(run.state) ? SETTLED_MS : LIVE_MS;
  const { data, refused } = useLive(
    listRunEvents,
    { params: { run_id: run.run_id }, query: {} },
    { everyMs, version: run.state },
  );
  if (data === null) return refused === null ? <>Loading…</> : <RefusedNotice refused={refused} />;
  return (
    <ol className="course">
      {data.events.map((event) => (
        <li key={event.number} data-event={event.event}>
          <Time at={event.at} word={clock(event.at)} />
          {eventLabel(event)}
        </li>
      ))}
    </ol>
  );
}

function clock(iso: string): string {
  return new Date(iso).toLocaleTimeString('en-GB');
}

function CancelRun({ run, onChanged }: { readonly run: Run; readonly onChanged: () => void }): ReactElement | null {
  const { api } = useVillage();
  const role = useRole();
  const id = useViewerId();
  const { refused, send } = useIntent();
  if (!mayCancel(run, { role, id })) return null;
  const cancel = async (): Promise<void> => {
    await send((idempotencyKey) => api.call(cancelRun, { params: { run_id: run.run_id }, body: {}, idempotencyKey }));
    onChanged();
  };
  return (
    <div className="run-cancel">
      {refused !== null && <RefusedNotice refused={refused} />}
      <Button
        icon="close"
        iconPx={14}
        word={run.state === 'queued' ? 'Cancel this run' : 'End this run'}
        onClick={() => void cancel()}
        data-action="cancel-run"
      />
    </div>
  );
}
