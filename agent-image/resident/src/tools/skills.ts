import { SKILL_FILE } from '@hamlet/contract/resident';
import type { CallContext, ToolOutcome } from '@hamlet/engine';
import type { Skill } from '../skills/skill-folder.ts';
import { answered } from './reading.ts';
import { failed, okay, type ToolKit } from './tool-kit.ts';

type Asked = Readonly<{ name: string; why: string }>;

/** The instructions of a skill, in the run's version. The API records that the model asked for it, and why. */
export async function loadSkill(kit: ToolKit, { name, why }: Asked, context: CallContext): Promise<ToolOutcome> {
  const booked = kit.book.find(context.run);
  if (booked === undefined) return { kind: 'unknown', text: 'This process has no lease on the run.' };
  const { sha256 } = await answered(kit, context.signal, () =>
    kit.work.loadSkill(context.run, booked.lease, { name, call: context.call, why }),
  );
  const skill = booked.skills?.get(name);
  return skill?.sha256 === sha256 ? okay(inWords(skill)) : changed(name);
}

export function readSkillFile(
  kit: Pick<ToolKit, 'book'>,
  { name, path }: Readonly<{ name: string; path: string }>,
  { run }: Pick<CallContext, 'run'>,
): ToolOutcome {
  const skill = kit.book.find(run)?.skills?.get(name);
  if (skill === undefined) return changed(name);
  const text = skill.files.get(path);
  if (text !== undefined) return okay(text);
  return failed(
    'no_such_file',
    `The skill ${name} has no file ${path}. It has ${filesOf(skill).join(', ') || 'no others'}.`,
  );
}

/** The versions of a run never change, so a run cannot use a skill that has changed since. */
const changed = (name: string): ToolOutcome =>
  failed(
    'skill_changed',
    `The run has no skill ${name}, or the skill has changed since the run began. Continue without it.`,
  );

const filesOf = ({ files }: Skill): readonly string[] =>
  [...files.keys()].filter((path) => path !== SKILL_FILE).toSorted();

function inWords(skill: Skill): string {
  const { name, from, sha256, instructions } = skill;
  const others = filesOf(skill);
  const folder = from === 'image' ? ` On your machine its folder is /app/skills/${name}.` : '';
  const more = others.length === 0 ? '' : `\n\nFurther files, for read_skill_file: ${others.join(', ')}.${folder}`;
  return `Skill ${name}, version ${sha256.slice(0, 12)}:\n\n${instructions}${more}`;
}
