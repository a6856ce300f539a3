import { changeSchedule, deleteSchedule, roleMay, type ScheduleView } from '@hamlet/contract';
import { useState } from 'react';
import type { Refused, Reply } from '../../client/api.ts';
import { Avatar, Badge, Button, LinkButton, Notice, OwnedNotice, Time } from '../../ui/controls.tsx';
import { dateTime, lengthLabel, timeAgo, timeAhead } from '../../ui/time-labels.ts';
import { useAgentNaming, useRole, useVillage } from '../village-context.ts';
import { NextTimesList } from './next-times-list.tsx';
import { OUTCOME_LABELS, policyLabels, stateOf, targetLabel } from './schedule-labels.ts';
import { type PastRow, pastRows, timingLabel } from './timetable.ts';
import { Markdown } from '../markdown/markdown.tsx';

interface RowProps {
  readonly schedule: ScheduleView;
  readonly now: number;
  readonly open: boolean;
  readonly onOpen: (on: boolean) => void;
  readonly onEdit: () => void;
  readonly onChanged: () => void;
}

export function ScheduleRow({ schedule, now, open, onOpen, onEdit, onChanged }: RowProps) {
  const nameOf = useAgentNaming();
  const { word, tone } = stateOf(schedule);
  const { status } = schedule;
  const nextMs = status.next_run_at === null || schedule.suspend ? null : Date.parse(status.next_run_at);
  return (
    <div className={`schedule${open ? ' schedule-open' : ''}`} data-schedule={schedule.name}>
      <button type="button" className="table-row schedule-grid" aria-expanded={open} onClick={() => onOpen(!open)}>
        <span className="cell-name">{schedule.name}</span>
        <span className="cell-timing">{timingLabel(schedule)}</span>
        <span className="cell-agent">
          {schedule.agent_name !== null && <Avatar id={schedule.agent_name} size={22} />}
          {targetLabel(schedule, nameOf)}
        </span>
        <span>
          <Badge tone={tone}>{word}</Badge>
        </span>
        <span data-label="Last">{status.last_run_at === null ? '–' : timeAgo(status.last_run_at, now)}</span>
        <span data-label="Next">{nextMs === null ? '–' : timeAhead(nextMs, now)}</span>
        <span data-label="Active">{status.active_runs}</span>
        <span data-label="Age">
          {lengthLabel(now - Date.parse(schedule.created_at))
            .split(' ')
            .slice(0, 2)
            .join(' ')}
        </span>
      </button>
      {open && <ScheduleDetails schedule={schedule} onEdit={onEdit} onChanged={onChanged} />}
    </div>
  );
}

type DetailsProps = Readonly<{ schedule: ScheduleView; onEdit: () => void; onChanged: () => void }>;

function ScheduleDetails({ schedule, onEdit, onChanged }: DetailsProps) {
  const { open } = useVillage();
  const { tone, advice } = stateOf(schedule);
  const { status } = schedule;
  return (
    <div className="schedule-details">
      {advice !== null && (
        <Notice tone={tone === 'bad' ? 'bad' : 'waiting'} icon="info">
          {advice}
        </Notice>
      )}
      <ScheduleActions schedule={schedule} onEdit={onEdit} onChanged={onChanged} />
      <div className="schedule-parts">
        <section>
          <h3 className="section-name">Prompt</h3>
          <Markdown text={schedule.prompt} />
          <ul className="policy">
            {policyLabels(schedule).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </section>
        <section>
          <h3 className="section-name">Next runs</h3>
          {schedule.suspend ? (
            <p className="empty">None while the schedule is suspended.</p>
          ) : (
            <NextTimesList slots={status.next_runs.map((time) => Date.parse(time))} timeZone={schedule.time_zone} />
          )}
        </section>
        <section>
          <h3 className="section-name">Last runs, {schedule.time_zone ?? 'UTC'}</h3>
          <FiringList schedule={schedule} />
          {status.missed > 0 && (
            <p className="hint">
              In all, {status.missed === 1 ? 'one run was' : `${status.missed} runs were`} missed and not made up for.
            </p>
          )}
          <LinkButton word="Show all its runs" onClick={() => open({ view: 'runs', schedule: schedule.name })} />
        </section>
      </div>
    </div>
  );
}

type ActionProps = Readonly<{ schedule: ScheduleView; onEdit: () => void; onChanged: () => void }>;

function ScheduleActions({ schedule, onEdit, onChanged }: ActionProps) {
  const { api } = useVillage();
  const role = useRole();
  const [refused, setRefused] = useState<Refused | null>(null);
  const [deleting, setDeleting] = useState(false);
  if (!roleMay(role, 'schedules:write')) return <p className="hint">Only admins change schedules.</p>;
  const params = { name: schedule.name };
  const done = (reply: Reply<unknown>): void => {
    setRefused(reply.ok ? null : reply.refused);
    onChanged();
  };
  const toggle = async (conflict: 'refuse' | 'take_over'): Promise<void> =>
    done(
      await api.call(changeSchedule, {
        params,
        query: { on_conflict: conflict },
        body: { suspend: !schedule.suspend },
      }),
    );
  const remove = async (): Promise<void> => {
    setDeleting(false);
    done(await api.call(deleteSchedule, { params }));
  };
  return (
    <div className="schedule-actions">
      <div className="button-row">
        <Button icon="edit" iconPx={15} word="Edit" onClick={onEdit} data-action="edit" />
        <Button
          icon={schedule.suspend ? 'play' : 'pause'}
          iconPx={15}
          word={schedule.suspend ? 'Resume' : 'Suspend'}
          onClick={() => void toggle('refuse')}
          data-action="suspend"
        />
        {!deleting && (
          <Button icon="trash" iconPx={15} word="Delete…" onClick={() => setDeleting(true)} data-action="delete" />
        )}
        {deleting && (
          <>
            <Button
              className="button-danger"
              word={`Delete ${schedule.name}`}
              onClick={() => void remove()}
              autoFocus
              data-action="confirm-delete"
            />
            <Button word="Cancel" onClick={() => setDeleting(false)} />
          </>
        )}
      </div>
      {refused !== null && <OwnedNotice refused={refused} onTakeOver={() => void toggle('take_over')} />}
    </div>
  );
}

const SHOWN = 10;
const AGENTS_SHOWN = 6;

function FiringList({ schedule }: { readonly schedule: ScheduleView }) {
  const rows = pastRows(schedule).slice(0, SHOWN);
  const zone = schedule.time_zone ?? 'UTC';
  if (rows.length === 0) return <p className="empty">No run yet. The latest runs appear here.</p>;
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

function Fired({ row, zone }: Readonly<{ row: Extract<PastRow, { kind: 'fired' }>; zone: string }>) {
  const { open } = useVillage();
  const nameOf = useAgentNaming();
  const { runs, made_up: madeUp } = row.firing;
  return (
    <li className="firing" data-outcome={runs[0]?.outcome ?? 'none'}>
      <Time at={row.firing.slot} title={`Began ${row.firing.fired_at}`} word={dateTime(row.slotMs, zone)} />
      <span className="firing-runs">
        {runs.slice(0, AGENTS_SHOWN).map((run) => {
          const { word, tone, hint } = OUTCOME_LABELS[run.outcome];
          const id = run.run_id;
          return (
            <span key={run.agent_id} className="firing-run">
              <Badge tone={tone} title={hint}>
                {word}
              </Badge>
              {id === null ? (
                nameOf(run.agent_id)
              ) : (
                <LinkButton
                  word={nameOf(run.agent_id)}
                  onClick={() => open({ view: 'runs', who: run.agent_id, run: id })}
                />
              )}
            </span>
          );
        })}
        {runs.length > AGENTS_SHOWN && <span className="hint">and {runs.length - AGENTS_SHOWN} more</span>}
        {madeUp && (
          <span className="hint" title="It made up for a missed run">
            late
          </span>
        )}
      </span>
    </li>
  );
}

function Silent({ row, zone }: Readonly<{ row: Extract<PastRow, { kind: 'silent' }>; zone: string }>) {
  return (
    <li className="firing" data-outcome="missed">
      <time dateTime={new Date(row.untilMs).toISOString()}>{dateTime(row.untilMs, zone)}</time>
      <span className="firing-runs">
        <Badge
          tone="waiting"
          title="The operator or the API was unreachable past the deadline, or the schedule was suspended"
        >
          Missed
        </Badge>
        <span className="hint">
          {row.count === 1 ? 'or suspended' : `${row.count} times since ${dateTime(row.fromMs, zone)}, or suspended`}
        </span>
      </span>
    </li>
  );
}
