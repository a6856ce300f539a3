import type { Run, SkillUse } from '@hamlet/contract';
import { listSkills } from '@hamlet/contract';
import { runRefreshMs } from '../../../client/minds/run-trace.ts';
import { useLive } from '../../../client/query/use-live.ts';
import { Fact } from '../../../ui/controls.tsx';
import { minuteTime } from '../../../ui/time-labels.ts';
import { skillFromLabel } from '../../capabilities/capability-labels.ts';
import '../../capabilities/capabilities.css';

export function RunSkills({ run, version }: Readonly<{ run: Run; version: number }>) {
  const input = { params: { agent_id: run.agent_id }, query: { run_id: run.run_id } };
  const { data } = useLive(listSkills, input, { everyMs: runRefreshMs(run), version });
  const [set] = data?.runs ?? [];
  if (set === undefined || set.skills.length === 0) return null;
  return (
    <Fact name="Skills">
      <ul className="skills" data-set={set.sha256}>
        {set.skills.map((skill) => (
          <RunSkillLine key={skill.name} skill={skill} />
        ))}
      </ul>
    </Fact>
  );
}

function RunSkillLine({ skill }: { readonly skill: SkillUse }) {
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
