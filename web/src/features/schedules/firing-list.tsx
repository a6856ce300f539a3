import type { ScheduleView } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { dateTime } from '../../ui/time-words.ts';
import { useVillage } from '../village-context.ts';
import { OUTCOME_WORDS } from './firing-words.ts';
import { pastRows, type PastRow } from './timetable.ts';

const SHOWN = 10;
/** Agents of one firing shown by name. */
const AGENTS_SHOWN = 6;

/** The last times, newest first: what each came to, and those at which nothing fired. */
export function FiringList({ schedule }: { readonly schedule: ScheduleView }): ReactElement {
  const rows = pastRows(schedule).slice(0, SHOWN);
  const zone = schedule.time_zone ?? 'UTC';
  if (rows.length === 0) return <p className="empty">It has not fired yet.</p>;
  return (
    <ol className="firings">
      {rows.map((row) =>
        row.kind === 'fired' ? (
          <Fired key={row.slotMs} row={row} zone={zone} />
        ) : (
          <Silent key={row.fromMs} row={row} zone={zone} />
        ),
      )}
    </ol>
  );
}

function Fired({
  row,
  zone,
}: {
  readonly row: Extract<PastRow, { kind: 'fired' }>;
  readonly zone: string;
}): ReactElement {
  const { open } = useVillage();
  const { runs, made_up: madeUp } = row.firing;
  return (
    <li className="firing" data-outcome={runs[0]?.outcome ?? 'none'}>
      <time dateTime={row.firing.slot} title={`Fired ${row.firing.fired_at}`}>
        {dateTime(row.slotMs, zone)}
      </time>
      <span className="firing-runs">
        {runs.slice(0, AGENTS_SHOWN).map((run) => {
          const { word, tone, hint } = OUTCOME_WORDS[run.outcome];
          const badge = (
            <span className={`badge badge-${tone}`} title={hint}>
              {word}
            </span>
          );
          const id = run.run_id;
          return (
            <span key={run.agent_id} className="firing-run">
              {badge}
              {id === null ? (
                run.agent_id
              ) : (
                <button
                  type="button"
                  className="link"
                  onClick={() => open({ view: 'runs', who: run.agent_id, run: id })}
                >
                  {run.agent_id}
                </button>
              )}
            </span>
          );
        })}
        {runs.length > AGENTS_SHOWN && <span className="hint">and {runs.length - AGENTS_SHOWN} more</span>}
        {madeUp && (
          <span className="hint" title="It made up for a time that was missed">
            made up
          </span>
        )}
      </span>
    </li>
  );
}

function Silent({
  row,
  zone,
}: {
  readonly row: Extract<PastRow, { kind: 'silent' }>;
  readonly zone: string;
}): ReactElement {
  return (
    <li className="firing" data-outcome="missed">
      <time dateTime={new Date(row.untilMs).toISOString()}>{dateTime(row.untilMs, zone)}</time>
      <span className="firing-runs">
        <span
          className="badge badge-waiting"
          title="The operator or the api was away past the deadline, or the schedule was suspended"
        >
          Missed
        </span>
        <span className="hint">
          {row.count === 1
            ? 'or suspended then'
            : `${row.count} times since ${dateTime(row.fromMs, zone)}, or suspended then`}
        </span>
      </span>
    </li>
  );
}
