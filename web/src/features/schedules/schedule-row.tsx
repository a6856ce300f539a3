import type { ScheduleView } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { Avatar } from '../../ui/avatar.tsx';
import { lengthWords, timeAgo, timeAhead } from '../../ui/time-words.ts';
import { stateOf, targetWords } from './firing-words.ts';
import { ScheduleDetails } from './schedule-details.tsx';
import { timingWords } from './timetable.ts';

interface RowProps {
  readonly schedule: ScheduleView;
  readonly now: number;
  readonly open: boolean;
  readonly onOpen: (on: boolean) => void;
  readonly onEdit: () => void;
  readonly onChanged: () => void;
}

/** One schedule in a line; opened, its firings past and to come. */
export function ScheduleRow({ schedule, now, open, onOpen, onEdit, onChanged }: RowProps): ReactElement {
  const { word, tone } = stateOf(schedule);
  const { status } = schedule;
  const nextMs = status.next_run_at === null || schedule.suspend ? null : Date.parse(status.next_run_at);
  return (
    <div className={`schedule${open ? ' schedule-open' : ''}`} data-schedule={schedule.name}>
      <button type="button" className="table-row schedule-grid" aria-expanded={open} onClick={() => onOpen(!open)}>
        <span className="cell-name">{schedule.name}</span>
        <span className="cell-timing">{timingWords(schedule)}</span>
        <span className="cell-agent">
          {schedule.agent_name !== null && <Avatar id={schedule.agent_name} size={22} />}
          {targetWords(schedule)}
        </span>
        <span>
          <span className={`badge badge-${tone}`}>
            <span className={`mark mark-${tone}`} aria-hidden="true" />
            {word}
          </span>
        </span>
        <span data-label="Last">{status.last_run_at === null ? '–' : timeAgo(status.last_run_at, now)}</span>
        <span data-label="Next">{nextMs === null ? '–' : timeAhead(nextMs, now)}</span>
        <span data-label="Active">{status.active_runs}</span>
        <span data-label="Age">
          {lengthWords(now - Date.parse(schedule.created_at))
            .split(' ')
            .slice(0, 2)
            .join(' ')}
        </span>
      </button>
      {open && <ScheduleDetails schedule={schedule} onEdit={onEdit} onChanged={onChanged} />}
    </div>
  );
}
