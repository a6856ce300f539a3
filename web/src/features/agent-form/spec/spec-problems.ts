import { specProblems as writtenProblems } from '@hamlet/contract';
import type { Refused } from '../../../client/api.ts';
import { capital } from '../../../client/labels.ts';
import type { Json } from '../../../client/json.ts';
import type { SpecPath } from './edit-spec.ts';

/** Problems by the path of the part in the spec: `skills.0.name`. The path is empty for the spec as a whole. */
export type SpecProblems = ReadonlyMap<string, string>;

/** Checks a spec by the schema of the custom resource, whose messages name the fix. */
export const specProblems = (spec: Json): SpecProblems => refusedProblems(writtenProblems(spec));

/** The problems of the schema; without them, those that the API found when it checked the spec. */
export function problemsOf(local: SpecProblems, refused: Pick<Refused, 'errors'> | null): SpecProblems {
  return local.size > 0 || refused === null ? local : refusedProblems(refused.errors);
}

/** The problems that the API names in a refusal, with paths such as `spec.skills[0].name`. */
export function refusedProblems(errors: readonly { readonly path: string; readonly message: string }[]): SpecProblems {
  const problems = new Map<string, string>();
  for (const { path, message } of errors) {
    const key = keyOf(path);
    if (!problems.has(key)) problems.set(key, worded(message));
  }
  return problems;
}

/** Words for a missing part and for a text in place of a number, which the schema's own messages lack. */
function worded(message: string): string {
  if (/^Invalid input: expected \w+, received undefined$/.test(message)) return 'Write this too';
  return message === 'Invalid input: expected number, received string' ? 'Write a number' : capital(message);
}

/** `spec.skills[0].name` and `/spec/skills/0/name` as `skills.0.name`. */
function keyOf(path: string): string {
  return path
    .replaceAll(/\[(\w+)\]/g, '.$1')
    .replaceAll('/', '.')
    .replace(/^\.*(?:body\.)?(?:spec(?:\.|$))?/, '');
}

/** The problem of a part or of anything in it. */
export function problemAt(problems: SpecProblems, path: SpecPath): string | undefined {
  const key = path.join('.');
  for (const [at, message] of problems) if (isWithin(at, key)) return message;
  return undefined;
}

/** Problems of parts that no field of the form shows. */
export function problemsElsewhere(
  problems: SpecProblems,
  shown: readonly SpecPath[],
): readonly (readonly [string, string])[] {
  const keys = shown.map((path) => path.join('.'));
  return [...problems].filter(([at]) => !keys.some((key) => isWithin(at, key)));
}

const isWithin = (path: string, parent: string): boolean => path === parent || path.startsWith(`${parent}.`);
