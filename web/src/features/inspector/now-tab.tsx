import type { AgentDetail } from '@hamlet/contract';
import { type ReactElement, type ReactNode, useState } from 'react';
import type { Row } from '../../client/app-state.ts';
import { Icon } from '../../ui/icon.tsx';
import { CapabilityList } from '../capabilities/capability-list.tsx';
import { SkillList } from '../capabilities/skill-list.tsx';
import { RepositoryMemories } from '../memory/repository-memories.tsx';
import { ScriptList } from '../scripts/script-list.tsx';
import { ConditionList } from './condition-list.tsx';
import { FactList } from './fact-list.tsx';
import { LifecycleActions } from './lifecycle-actions.tsx';

/** The agent's present state with its reasons, and the buttons that change its life. */
export function NowTab({ row, detail }: { readonly row: Row; readonly detail: AgentDetail }): ReactElement {
  const why = (
    <Section title={detail.why.ready ? 'Why it runs' : 'Why it is not running'}>
      <ConditionList detail={detail} />
    </Section>
  );
  const facts = (
    <Section title="Now">
      <FactList row={row} detail={detail} />
    </Section>
  );
  // If the agent does not run, the reason comes before the facts.
  return (
    <>
      <LifecycleActions agent={detail} />
      {detail.why.ready ? (
        <>
          {facts}
          {why}
        </>
      ) : (
        <>
          {why}
          {facts}
        </>
      )}
      <CapabilityList agent={detail} />
      <SkillList agent={detail} />
      <RepositoryMemories agent={detail} />
      <ScriptList agent={detail} />
    </>
  );
}

type SectionProps = Readonly<{ title: string; closed?: boolean; children: ReactNode }>;

export function Section({ title, closed = false, children }: SectionProps): ReactElement {
  const [open, setOpen] = useState(!closed);
  return (
    <section className="section">
      <h3>
        <button type="button" className="section-title" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Icon name="chevron" size={14} />
          {title}
        </button>
      </h3>
      {open && children}
    </section>
  );
}
