import { listSchedules, roleMay, type ScheduleView } from '@hamlet/contract';
import { useState } from 'react';
import { useLive } from '../../client/query/use-live.ts';
import { Button, RefusedNotice, Unread, useNow } from '../../ui/controls.tsx';
import { Page } from '../navigation/page.tsx';
import { useRole, useVillage, useVillageState } from '../village-context.ts';
import { ScheduleForm } from './schedule-form.tsx';
import { ScheduleRow } from './schedule-row.tsx';
import './schedules.css';

const REFRESH_MS = 3000;

type Editing = { readonly schedule: ScheduleView | null } | null;

export function SchedulesPage() {
  const role = useRole();
  const [editing, setEditing] = useState<Editing>(null);
  const mayWrite = roleMay(role, 'schedules:write');
  const tools = (
    <Button
      look="strong"
      icon="plus"
      word="New schedule"
      aria-disabled={!mayWrite}
      title={mayWrite ? 'Create a schedule' : 'Only admins create schedules'}
      onClick={() => {
        if (mayWrite) setEditing({ schedule: null });
      }}
      data-action="new-schedule"
    />
  );
  return (
    <Page
      title="Schedules"
      intro="Each schedule starts runs at given times. The same list as kubectl get sch."
      needs="schedules:read"
      tools={tools}
    >
      <Schedules editing={editing} onEdit={setEditing} />
    </Page>
  );
}

function Schedules({ editing, onEdit }: Readonly<{ editing: Editing; onEdit: (editing: Editing) => void }>) {
  const { open } = useVillage();
  const live = useLive(listSchedules, { query: {} }, REFRESH_MS);
  const opened = useVillageState((state) => state.place.schedule);
  const now = useNow(1000);
  const close = (saved: string | null): void => {
    onEdit(null);
    if (saved !== null) {
      open({ schedule: saved });
      live.again();
    }
  };
  return (
    <>
      {live.data !== null && live.refused !== null && <RefusedNotice refused={live.refused} />}
      {live.data === null && <Unread refused={live.refused} />}
      {live.data?.schedules.length === 0 && (
        <div className="card empty">
          <p>
            <b>No schedules yet.</b> Create one here, or with <code>kubectl apply</code>.
          </p>
        </div>
      )}
      {live.data !== null && live.data.schedules.length > 0 && (
        <div className="card table" role="table" aria-label="Schedules">
          <div className="table-head schedule-grid" role="row">
            {['Schedule', 'Timing', 'Agent', 'State', 'Last', 'Next', 'Active', 'Age'].map((word) => (
              <span key={word} role="columnheader">
                {word}
              </span>
            ))}
          </div>
          {live.data.schedules.map((schedule) => (
            <ScheduleRow
              key={schedule.uid}
              schedule={schedule}
              now={now}
              open={opened === schedule.name}
              onOpen={(on) => open({ schedule: on ? schedule.name : null })}
              onEdit={() => onEdit({ schedule })}
              onChanged={live.again}
            />
          ))}
        </div>
      )}
      {editing !== null && <ScheduleForm schedule={editing.schedule} onClose={close} />}
    </>
  );
}
