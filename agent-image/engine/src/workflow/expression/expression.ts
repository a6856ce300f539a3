import { expressionProblem } from './check-expression.ts';
import { valueOf } from './evaluate.ts';
import { Fault } from './fault.ts';
import { assertResult } from './json-value.ts';
import { parseExpression } from './parse-expression.ts';
import type { Scope } from './place.ts';
import { Work } from './work.ts';

/** The names of a scope: of a stage; of an edge and of the condition of a feedback stage; of a merge that reduces. */
const NAMES = {
  stage: ['task', 'input', 'stages'],
  edge: ['task', 'input', 'stages', 'output'],
  merge: ['task', 'input', 'stages', 'inputs', 'sources'],
} as const;
const EVERY_NAME: readonly string[] = [...new Set(Object.values(NAMES).flat())];

/** The place of an expression. `part`: decides which names it may use, by default all. `stages`: ids that it may name, by default any. */
export type ExpressionPlace = Readonly<{ part?: keyof typeof NAMES; stages?: ReadonlySet<string> }>;

export type Evaluated = Readonly<{ ok: true; value: unknown }> | Readonly<{ ok: false; message: string }>;

export type CompiledExpression =
  | Readonly<{ ok: true; evaluate: (scope: Scope, work?: Work) => Evaluated }>
  | Readonly<{ ok: false; message: string }>;

/**
 * Compiles an expression of CEL, of at most 4,000 characters; a `=` before it is left out. `message` names the first fault and its fix.
 *
 * Values are JSON, and so are numbers: `7 / 2` is 3.5. `evaluate` is pure, takes at most 100,000 steps, and its value has at most 1 MiB of
 * JSON in 64 levels. The value shares parts with the scope. `work`: limits that several evaluations share.
 */
export function compileExpression(text: string, place: ExpressionPlace = {}): CompiledExpression {
  const parsed = parseExpression(text.startsWith('=') ? text.slice(1) : text);
  if (!parsed.ok) return parsed;
  const { ast } = parsed;
  const names = place.part === undefined ? EVERY_NAME : NAMES[place.part];
  const message = expressionProblem(ast, { names: new Set(names), stages: place.stages ?? null });
  if (message !== null) return { ok: false, message };
  const evaluate = (scope: Scope, work = new Work()): Evaluated =>
    evaluated(() => valueOf(ast, { scope, names: null, work }), work);
  return { ok: true, evaluate };
}

export function evaluateExpression(text: string, scope: Scope, place: ExpressionPlace = {}): Evaluated {
  const compiled = compileExpression(text, place);
  return compiled.ok ? compiled.evaluate(scope) : compiled;
}

/** The value, if it is JSON within the limits of a result. */
export const boundedJson = (value: unknown): Evaluated => evaluated(() => value, new Work());

function evaluated(compute: () => unknown, work: Work): Evaluated {
  try {
    const value = compute();
    assertResult(value, work);
    return { ok: true, value };
  } catch (error) {
    if (error instanceof Fault) return { ok: false, message: error.message };
    throw error;
  }
}
