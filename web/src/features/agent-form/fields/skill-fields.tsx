import { listOfferedSkills, listSkills, type OfferedSkill, SKILLS_MAX } from '@hamlet/contract';
import { useLive, usePages } from '../../../client/query/use-live.ts';
import { MoreButton } from '../../../ui/controls.tsx';
import { CheckField } from '../../../ui/fields.tsx';
import { rowsAt, textAt } from '../spec/edit-spec.ts';
import { isOffered, isRowOf, withSkill } from '../spec/offered-skills.ts';
import { RowList, RowSelect, RowText } from './row-list.tsx';
import { FormPart, useSpecForm } from './spec-form.tsx';

const SOURCES = [
  ['', 'The image'],
  ['ConfigMap', 'A ConfigMap'],
  ['Repository', 'Its repository'],
] as const;
const OFFERED_MS = 60_000;
const SKILLS_MS = 30_000;
const PATH = ['skills'] as const;

const keyOf = ({ name, config_map_name: map }: OfferedSkill): string => (map === null ? name : `map/${map}`);

/** The skills of the agent: check boxes for those that the village offers, and rows for all others. */
export function SkillFields({ agentId }: Readonly<{ agentId: string | null }>) {
  const offered = usePages(listOfferedSkills, { query: {} }, { list: 'skills', id: keyOf, everyMs: OFFERED_MS });
  const known = offered.rows ?? [];
  const asked = agentId === null ? null : { params: { agent_id: agentId }, query: {} };
  const found = useLive(listSkills, asked, SKILLS_MS).data?.skills ?? [];
  const names = [...new Set(found.map(({ name }) => name))].toSorted();
  const versionsOf = (name: string): readonly string[] =>
    found.flatMap((skill) => (skill.name === name && skill.sha256 !== null ? [skill.sha256] : []));
  return (
    <FormPart title="Skills" hint="Folders with instructions, which the agent reads when it needs them.">
      <OfferedSkills offered={known} />
      <MoreButton more={offered.more} word="More skills" />
      <RowList
        path={PATH}
        word="skill"
        blank={{ name: '' }}
        max={SKILLS_MAX}
        isElsewhere={(row) => isOffered(row, known)}
      >
        {(row) => (
          <>
            <RowText of={row} field="name" label="Name" placeholder="write-a-patch" suggestions={names} />
            <RowSelect of={row} field="from" label="From" options={SOURCES} />
            {textAt(row.row, ['from']) === 'ConfigMap' && <RowText of={row} field="configMapName" label="ConfigMap" />}
            {textAt(row.row, ['from']) === 'Repository' && (
              <RowText
                of={row}
                field="sha256"
                label="Version (64 digits)"
                suggestions={versionsOf(textAt(row.row, ['name']))}
              />
            )}
          </>
        )}
      </RowList>
    </FormPart>
  );
}

function OfferedSkills({ offered }: Readonly<{ offered: readonly OfferedSkill[] }>) {
  const { spec, write, ownerOf } = useSpecForm();
  const rows = rowsAt(spec, PATH);
  const put = (skill: OfferedSkill, on: boolean): void => {
    const next = withSkill(rows, skill, on);
    write(PATH, next.length === 0 ? undefined : next);
  };
  const owned = ownerOf(PATH) !== undefined;
  return (
    <div className="agent-skills" role="group" aria-label="Skills of the village">
      {offered.map((skill) => {
        const on = rows.some((row) => isRowOf(row, skill));
        const locked = owned || (!on && (skill.problem !== null || rows.length >= SKILLS_MAX));
        return (
          <fieldset key={keyOf(skill)} className="agent-plain" disabled={locked} data-skill={keyOf(skill)}>
            <CheckField
              name={`skill-${keyOf(skill)}`}
              label={<SkillWords skill={skill} />}
              value={on}
              onChange={(next) => put(skill, next)}
            />
          </fieldset>
        );
      })}
    </div>
  );
}

function SkillWords({
  skill: { name, description, problem, config_map_name: map },
}: Readonly<{ skill: OfferedSkill }>) {
  return (
    <span className="agent-skill">
      <b>{name}</b>
      {map !== null && map !== name && <small> from {map}</small>}
      <small className={problem === null ? 'hint' : 'field-problem'}>{problem ?? description}</small>
    </span>
  );
}
