import type { GoesWith } from '@hamlet/contract';
import { LinkButton } from '../../ui/controls.tsx';
import { useVillage } from '../village-context.ts';
import { FormPart } from './fields/spec-form.tsx';

/** The schedules that name an agent; each has a form of its own. */
export function ScheduleLinks({ goesWith }: { readonly goesWith: readonly GoesWith[] }) {
  const { open } = useVillage();
  const names = goesWith.find(({ kind }) => kind === 'schedules')?.names ?? [];
  return (
    <FormPart title="Schedule">
      {names.length === 0 && <p className="hint">No schedule names this agent.</p>}
      {names.map((name) => (
        <p key={name}>
          <LinkButton word={name} onClick={() => open({ view: 'schedules', schedule: name })} data-schedule={name} />
        </p>
      ))}
      <p className="hint">
        <LinkButton word="All schedules" onClick={() => open({ view: 'schedules' })} /> have a form of their own.
      </p>
    </FormPart>
  );
}
