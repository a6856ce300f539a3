import type * as z from 'zod';
import { AgentSpec } from './agent.ts';

/** The fields of an Agent that people write. Awakening, suspension and reboot have routes of their own, which own `power` and `rebootedAt`. */
const WrittenSpec = AgentSpec.omit({ power: true, rebootedAt: true });

/** A spec as a person writes it: absent fields get their defaults in the cluster. */
export type WrittenSpec = z.input<typeof WrittenSpec>;

/** Fields of a spec that other routes write. */
export const LIFE_FIELDS: ReadonlySet<string> = new Set(['power', 'rebootedAt']);

/** A field of a spec that has to change, by its path (`spec.model.name`), and the fix. */
export interface SpecProblem {
  readonly path: string;
  readonly message: string;
}

const PROBLEMS_MAX = 20;

const pathOf = (path: readonly PropertyKey[]): string => ['spec', ...path.map(String)].join('.');

/**
 * The problems of a spec that a person wrote, at most 20; none if it is valid. The API server decides in the end: some of its rules need the
 * cluster.
 */
export function specProblems(spec: unknown): readonly SpecProblem[] {
  const parsed = WrittenSpec.safeParse(spec);
  if (parsed.success) return [];
  return parsed.error.issues
    .flatMap(({ code, path, message, ...issue }) =>
      code === 'unrecognized_keys'
        ? (issue as { readonly keys: readonly string[] }).keys.map((key) => ({
            path: pathOf([...path, key]),
            message: LIFE_FIELDS.has(key) && path.length === 0 ? AWAKENING : 'an Agent has no such field: remove it',
          }))
        : [{ path: pathOf(path), message }],
    )
    .slice(0, PROBLEMS_MAX);
}

const AWAKENING = 'awaken, suspend or reboot the agent instead';
