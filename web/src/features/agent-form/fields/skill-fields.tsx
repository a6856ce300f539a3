import { listCharacters, listSkills, SKILLS_MAX } from '@hamlet/contract';
import { useLive } from '../../../client/query/use-live.ts';
import { rowsAt, textAt } from '../spec/edit-spec.ts';
import { RowList, RowSelect, RowText } from './row-list.tsx';
import { FormPart } from './spec-form.tsx';

const SOURCES = [
  ['', 'The image'],
  ['ConfigMap', 'A ConfigMap'],
  ['Repository', 'Its repository'],
] as const;
/** Characters are built into the village and change only with it. */
const CHARACTERS_MS = 600_000;
const SKILLS_MS = 30_000;

/**
 * The skills of the agent. Suggestions: the skills of the image that characters have, and the versions that the agent's
 * resident found.
 */
export function SkillFields({ agentId }: Readonly<{ agentId: string | null }>) {
  const characters = useLive(listCharacters, {}, CHARACTERS_MS).data?.characters ?? [];
  const asked = agentId === null ? null : { params: { agent_id: agentId }, query: {} };
  const found = useLive(listSkills, asked, SKILLS_MS).data?.skills ?? [];
  const ofImage = characters.flatMap(({ spec }) => rowsAt(spec, ['skills']).map((row) => textAt(row, ['name'])));
  const names = [...new Set([...ofImage, ...found.map(({ name }) => name)])].toSorted();
  const versionsOf = (name: string): readonly string[] =>
    found.flatMap((skill) => (skill.name === name && skill.sha256 !== null ? [skill.sha256] : []));
  return (
    <FormPart title="Skills" hint="Folders with instructions, which the agent reads when it needs them.">
      <RowList path={['skills']} word="skill" blank={{ name: '' }} max={SKILLS_MAX}>
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
