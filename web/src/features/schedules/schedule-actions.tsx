import { changeSchedule, deleteSchedule, roleMay, type ScheduleView } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import type { Refused, Reply } from '../../client/api.ts';
import { Icon } from '../../ui/icon.tsx';
import { OwnedNotice } from '../../ui/notices/owned-notice.tsx';
import { useRole, useVillage } from '../village-context.ts';

interface ActionProps {
  readonly schedule: ScheduleView;
  readonly onEdit: () => void;
  readonly onChanged: () => void;
}

/** Edit, suspend, resume and delete; each says why where it is refused. */
export function ScheduleActions({ schedule, onEdit, onChanged }: ActionProps): ReactElement | null {
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
        <button type="button" className="button button-small" onClick={onEdit} data-action="edit">
          <Icon name="edit" size={15} />
          Edit
        </button>
        <button
          type="button"
          className="button button-small"
          onClick={() => void toggle('refuse')}
          data-action="suspend"
        >
          <Icon name={schedule.suspend ? 'play' : 'pause'} size={15} />
          {schedule.suspend ? 'Resume' : 'Suspend'}
        </button>
        {!deleting && (
          <button type="button" className="button button-small" onClick={() => setDeleting(true)} data-action="delete">
            <Icon name="trash" size={15} />
            Delete…
          </button>
        )}
        {deleting && (
          <>
            <button
              type="button"
              className="button button-small button-danger"
              onClick={() => void remove()}
              autoFocus
              data-action="confirm-delete"
            >
              Delete {schedule.name}
            </button>
            <button type="button" className="button button-small" onClick={() => setDeleting(false)}>
              Keep it
            </button>
          </>
        )}
      </div>
      {refused !== null && <OwnedNotice refused={refused} onTakeOver={() => void toggle('take_over')} />}
    </div>
  );
}
