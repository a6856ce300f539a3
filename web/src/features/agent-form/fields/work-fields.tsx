import { fieldsOf } from '../../../client/drafts.ts';
import { CheckField, FieldProblem, TextField } from '../../../ui/fields.tsx';
import { NextTimesList } from '../../schedules/next-times-list.tsx';
import { type Draft, nextOf, type Problems, timingOf } from '../../schedules/schedule-draft.ts';
import { TimingFields } from '../../schedules/schedule-form.tsx';
import { useNow } from '../../../ui/controls.tsx';
import { FormPart } from './spec-form.tsx';

interface WorkProps {
  readonly work: Draft | null;
  /** The work that the form begins with once a person wants it. */
  readonly first: Draft;
  readonly problems: Problems;
  readonly onWork: (work: Draft | null) => void;
}

/** Work at set times, which becomes a Schedule of its own. */
export function WorkFields({ work, first, problems, onWork }: WorkProps) {
  return (
    <FormPart title="Schedule">
      <CheckField
        name="has-work"
        label="It works at set times"
        value={work !== null}
        onChange={(on) => onWork(on ? first : null)}
      />
      {work !== null && <Work work={work} problems={problems} onWork={onWork} />}
    </FormPart>
  );
}

function Work({ work, problems, onWork }: Omit<WorkProps, 'first'> & Readonly<{ work: Draft }>) {
  const of = fieldsOf<Draft>(work, (change) => onWork({ ...work, ...change }));
  const now = useNow(5000);
  const next = nextOf(work, now);
  return (
    <div className="schedule-form form-column">
      <TextField
        label="Work"
        name="work-prompt"
        rows={3}
        {...of('prompt')}
        problem={problems.prompt}
        placeholder="Write the report of the day and post it on the board."
      />
      <TimingFields draft={work} problems={problems} of={of} />
      <FieldProblem
        text={
          problems.days ?? problems.dailyAt ?? problems.cron ?? problems.every ?? problems.timeZone ?? problems.kind
        }
      />
      {next.ok && <NextTimesList slots={next.slots.slice(0, 2)} timeZone={timingOf(work).timeZone ?? null} />}
    </div>
  );
}
