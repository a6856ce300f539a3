import type { ScheduleView } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { Icon } from '../../ui/icon.tsx';
import { useVillage } from '../village-context.ts';
import { FiringList } from './firing-list.tsx';
import { policyWords, stateOf } from './firing-words.ts';
import { NextTimesList } from './next-times-list.tsx';
import { ScheduleActions } from './schedule-actions.tsx';

interface DetailsProps {
  readonly schedule: ScheduleView;
  readonly onEdit: () => void;
  readonly onChanged: () => void;
}

/** What a schedule says and to whom, when it fires next, and what came of the last times. */
export function ScheduleDetails({ schedule, onEdit, onChanged }: DetailsProps): ReactElement {
  const { open } = useVillage();
  const { tone, advice } = stateOf(schedule);
  const { status } = schedule;
  return (
    <div className="schedule-details">
      {advice !== null && (
        <p className={`notice notice-${tone === 'bad' ? 'bad' : 'waiting'}`}>
          <Icon name="info" size={16} />
          <span>{advice}</span>
        </p>
      )}
      <ScheduleActions schedule={schedule} onEdit={onEdit} onChanged={onChanged} />
      <div className="schedule-parts">
        <section>
          <h3 className="section-name">Prompt</h3>
          <p className="prose">{schedule.prompt}</p>
          <ul className="policy">
            {policyWords(schedule).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </section>
        <section>
          <h3 className="section-name">Next</h3>
          {schedule.suspend ? (
            <p className="empty">None while it is suspended.</p>
          ) : (
            <NextTimesList slots={status.next_runs.map((time) => Date.parse(time))} timeZone={schedule.time_zone} />
          )}
        </section>
        <section>
          <h3 className="section-name">Last firings, {schedule.time_zone ?? 'UTC'}</h3>
          <FiringList schedule={schedule} />
          {status.missed > 0 && (
            <p className="hint">
              {status.missed === 1 ? 'One firing was' : `${status.missed} firings were`} missed and not made up for in
              all.
            </p>
          )}
          <button type="button" className="link" onClick={() => open({ view: 'runs', schedule: schedule.name })}>
            All its runs
          </button>
        </section>
      </div>
    </div>
  );
}
