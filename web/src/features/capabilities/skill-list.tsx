import { type AgentDetail, listSkills, roleMay, type SkillSet, type SkillView } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { useLive } from '../../client/query/use-live.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { LinkButton } from '../../ui/button.tsx';
import { timeAgo } from '../../ui/time-labels.ts';
import { useNow } from '../../ui/time.tsx';
import { useRole, useVillage } from '../village-context.ts';
import { skillFromLabel } from './capability-labels.ts';
import './capabilities.css';

const REFRESH_MS = 5_000;
const STATES: Readonly<Record<SkillView['state'], Readonly<{ word: string; tone: Tone }>>> = {
  ready: { word: 'Ready', tone: 'good' },
  broken: { word: 'Broken', tone: 'bad' },
  unknown: { word: 'Not looked at yet', tone: 'waiting' },
};

/** The skills of an agent, and when a model last read each, why, and in which version. Nothing for an agent without skills. */
export function SkillList({ agent }: { readonly agent: AgentDetail }): ReactElement | null {
  const role = useRole();
  const params = { agent_id: agent.agent_id };
  const { data } = useLive(listSkills, roleMay(role, 'runs:read') ? { params, query: {} } : null, REFRESH_MS);
  if (data === null || data.skills.length === 0) return null;
  return (
    <section className="section" aria-label="Skills">
      <h3 className="section-name">Skills</h3>
      <ul className="skills">
        {data.skills.map((skill) => (
          <SkillLine key={skill.name} skill={skill} runs={data.runs} />
        ))}
      </ul>
    </section>
  );
}

function SkillLine({ skill, runs }: Readonly<{ skill: SkillView; runs: readonly SkillSet[] }>): ReactElement {
  const { word, tone } = STATES[skill.state];
  return (
    <li className="skill" data-skill={skill.name} data-state={skill.state}>
      <span className="skill-head">
        <b>{skill.name}</b> <Badge tone={tone}>{word}</Badge>
        <span className="hint">{skillFromLabel(skill.from)}</span>
        {skill.sha256 !== null && (
          <code className="skill-version" title={`Version ${skill.sha256}`}>
            {skill.sha256.slice(0, 12)}
          </code>
        )}
      </span>
      {skill.description !== null && <p className="skill-text">{skill.description}</p>}
      {skill.problem !== null && <p className="skill-text skill-problem">{skill.problem}</p>}
      <LastUse name={skill.name} runs={runs} />
    </li>
  );
}

/** The newest run whose model read the skill. */
function LastUse({ name, runs }: Readonly<{ name: string; runs: readonly SkillSet[] }>): ReactElement | null {
  const { open } = useVillage();
  const now = useNow(10_000);
  for (const { run_id: run, skills } of runs) {
    const use = skills.find((skill) => skill.name === name);
    if (use === undefined || use.loaded_at === null) continue;
    return (
      <p className="hint">
        <LinkButton word={`Read ${timeAgo(use.loaded_at, now)}`} onClick={() => open({ view: 'runs', run })} />
        {use.why !== null && <>: {use.why}</>}
      </p>
    );
  }
  return null;
}
