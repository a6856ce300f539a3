import type { Plan, PlanEdge, PlanStage } from '../plan/plan.ts';

/** Width of a character in pixels, of names (13 px) and of the smaller words (11 px), in a font whose characters are equally wide. */
export const CHAR_WIDTH = 7.9;
export const SMALL_CHAR_WIDTH = 6.7;

const WORDS_MAX = 34;

/** At most `WORDS_MAX` characters on one line. */
function oneLine(text: string): string {
  const characters = [...text.replaceAll(/\s+/g, ' ').trim()];
  return characters.length <= WORDS_MAX ? characters.join('') : `${characters.slice(0, WORDS_MAX - 1).join('')}…`;
}

/** The work of a stage; empty for a stage that passes its input on. */
function workOf({ role, agent, tool, toolPlan, merge, feedback, output }: PlanStage): string {
  if (feedback !== null) return `until ${feedback.until}`;
  if (agent !== null) return `agent ${agent}`;
  if (tool !== null) return `tool ${tool}`;
  if (toolPlan !== null) return 'a plan of tools';
  if (role === 'merge') return `merge: ${merge ?? 'list'}`;
  return output ?? '';
}

/** The words in a node: its id, and what it runs. */
export function nodeLines(stage: PlanStage): readonly string[] {
  const work = oneLine(workOf(stage));
  return work === '' ? [oneLine(stage.id)] : [oneLine(stage.id), work];
}

/** The failures that a fallback rule covers: `tool failure of a merge stage`. */
export const ruleText = ({ category, role }: Plan['fallbacks'][number]): string =>
  `${category} failure${role === null ? '' : ` of a ${role} stage`}`;

export function edgeLabel({ type, when }: Pick<PlanEdge, 'type' | 'when'>): string {
  return type === 'conditional' ? oneLine(when ?? 'otherwise') : '';
}
