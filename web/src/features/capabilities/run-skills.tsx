import { listSkills, type Run, type SkillUse } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { runRefreshMs } from '../../client/minds/run-refresh.ts';
import { useLive } from '../../client/query/use-live.ts';
import { minuteTime } from '../../ui/time-labels.ts';
import { skillFromLabel } from './capability-labels.ts';
import './capabilities.css';

/** The skills of a run with their versions, and those that its model read, with the reason. Nothing for a run without skills. */
export function RunSkills({ run, version }: Readonly<{ run: Run; version: number }>): ReactElement | null {
  const input = { params: { agent_id: run.agent_id }, query: { run_id: run.run_id } };
  const { data } = useLive(listSkills, input, { everyMs: runRefreshMs(run), version });
  const [set] = data?.runs ?? [];
  if (set === undefined || set.skills.length === 0) return null;
  return (
    <>
      <dt>Skills</dt>
      <dd>
        <ul className="skills" data-set={set.sha256}>
          {set.skills.map((skill) => (
            <RunSkillLine key={skill.name} skill={skill} />
          ))}
        </ul>
      </dd>
    </>
  );
}

function RunSkillLine({ skill }: { readonly skill: SkillUse }): ReactElement {
  const { name, from, sha256, loaded_at: loaded, why } = skill;
  return (
    <li className="skill" data-skill={name} data-loaded={loaded !== null}>
      <span className="skill-head">
        <b>{name}</b>
        <code className="skill-version" title={`Version ${sha256}`}>
          {sha256.slice(0, 12)}
        </code>
        <span className="hint">
          {skillFromLabel(from)}
          {loaded === null ? ' · not read' : ` · read ${minuteTime(loaded)}`}
        </span>
      </span>
      {why !== null && <p className="skill-text">{why}</p>}
    </li>
  );
}
