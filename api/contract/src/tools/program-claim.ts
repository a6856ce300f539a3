import { z } from 'zod';
import { RUN_EVENT_TEXT_MAX_CHARS, type RunCallDetail } from '../values/run/run-event.ts';

/**
 * A program that is the mind of an agent describes its own work in events of the kinds of calls, with `witnessed` false, the tool
 * `program.KIND`, and a claim as `arguments_text`. A call has the event `call_begun`, then `call_settled` or `call_unknown`; its last
 * event has everything. Each change of the program's plan is a `call_settled` of `program.plan`. `program.install` is the installation of
 * the program, with a `call_begun` for each part of it. The words before a call are a `call_settled` of `program.say`, so that words and
 * calls keep their order; the answer has them too. Nothing proves a claim.
 */
export const PROGRAM_TOOL_PREFIX = 'program.';

/** Maximum characters of a claim as JSON, so that its event shows it whole. */
export const PROGRAM_CLAIM_MAX_CHARS = RUN_EVENT_TEXT_MAX_CHARS - 96;
/** Maximum claims of one call of the program; later ones are dropped. */
export const PROGRAM_CLAIMS_MAX = 2_000;
export const PROGRAM_PLAN_MAX = 30;
export const PROGRAM_LOCATIONS_MAX = 8;
export const PROGRAM_DIFFS_MAX = 4;

export const PROGRAM_CALL_KINDS = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch_mode',
  'other',
] as const;
export type ProgramCallKind = (typeof PROGRAM_CALL_KINDS)[number];

const text = z.string().max(PROGRAM_CLAIM_MAX_CHARS);

export const ProgramClaim = z.strictObject({
  kind: z.enum([...PROGRAM_CALL_KINDS, 'plan', 'install', 'say']),
  title: text.describe('In the words of the program'),
  input: text.default('').describe('Arguments of the call, for example a command; shortened'),
  output: text.default('').describe('Result of the call, or the words of kind say; shortened'),
  locations: z
    .array(z.strictObject({ path: text, line: z.int().min(0).nullable() }))
    .max(PROGRAM_LOCATIONS_MAX)
    .default([]),
  diffs: z
    .array(z.strictObject({ path: text, diff: text.describe('Unified diff; shortened') }))
    .max(PROGRAM_DIFFS_MAX)
    .default([]),
  plan: z
    .array(z.strictObject({ text, status: z.enum(['pending', 'in_progress', 'completed']) }))
    .max(PROGRAM_PLAN_MAX)
    .default([])
    .describe('The whole plan; only of kind plan'),
});
export type ProgramClaim = z.infer<typeof ProgramClaim>;

/** Tool of the events with words of a program. */
export const PROGRAM_WORDS = `${PROGRAM_TOOL_PREFIX}say`;

/** The last characters of words by which a reader finds their end in the answer: a claim may lack their middle. */
const END_CHARS = 200;

/** The part of a program's answer, complete or not, that follows the words of events; null if the answer lacks these words. Pure. */
export function wordsAfter(answer: string, said: readonly string[]): string | null {
  let from = 0;
  for (const words of said) {
    const end = words.trim().slice(-END_CHARS);
    const at = answer.indexOf(end, from);
    if (at === -1) return null;
    from = at + end.length;
  }
  return answer.slice(from).trimStart();
}

/** The claim in an event of a call; null for a call of the village's own, and for a text that was deleted or may not be read. Pure. */
export function programClaimOf({
  tool,
  arguments_text: claim,
}: Pick<RunCallDetail, 'tool' | 'arguments_text'>): ProgramClaim | null {
  if (tool?.startsWith(PROGRAM_TOOL_PREFIX) !== true || claim === null) return null;
  try {
    return ProgramClaim.safeParse(JSON.parse(claim)).data ?? null;
  } catch {
    return null;
  }
}
