import { z } from 'zod';
import { isJsonObject } from '../../json/canonical-json.ts';
import { uncalled, type ExecutionInput, type ExecutionOutput, type ExecutionStatus } from './execution.ts';
import type { Mutation } from './mutation.ts';

const STEPS_MAX = 64;
const ATTEMPTS_MAX = 10;
const NAME_MAX_CHARS = 200;

/** A field of the results, such as `files`, by which later steps name a value. */
const ResultField = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'a name in lower case, such as files');

/** One step: a call of a tool. Strings in `arguments` that begin with `=` are expressions, in which `input` holds the earlier results. */
export const ToolStep = z
  .strictObject({
    tool_name: z.string().min(1).max(NAME_MAX_CHARS),
    arguments: z.record(z.string(), z.unknown()).default({}),
    result_field: ResultField.optional(),
    /** After a failure: end the plan, take the next step, or call again and then end the plan. */
    on_error: z.enum(['stop', 'continue', 'retry']).default('stop'),
    /** With `retry`: attempts in all. */
    attempts: z.int().min(2).max(ATTEMPTS_MAX).optional(),
  })
  .refine(({ on_error, attempts }) => on_error === 'retry' || attempts === undefined, {
    path: ['attempts'],
    message: 'attempts needs on_error: retry',
  });
export type ToolStep = Readonly<z.infer<typeof ToolStep>>;

/** Calls of tools in their order: the input of a stage with `tool_plan`. Models write them. */
export const ToolPlan = z
  .array(ToolStep)
  .min(1)
  .max(STEPS_MAX)
  .refine((steps) => areDistinct(steps.flatMap(({ result_field: field }) => field ?? [])), 'each result_field once');
export type ToolPlan = readonly ToolStep[];

const areDistinct = (names: readonly string[]): boolean => new Set(names).size === names.length;

/** The end of a step, after its last attempt. */
type StepEnd = Readonly<{
  tool_name: string;
  status: ExecutionStatus;
  code: string | null;
  text: string | null;
  attempts: number;
  duration_ms: number | null;
  mutations: readonly Mutation[];
}>;

/** The output of the stage. `results`: the values of the steps with a `result_field` that are ok. */
type ToolPlanOutput = Readonly<{ results: Readonly<Record<string, unknown>>; steps: readonly StepEnd[] }>;

/** The next call, or the end. `failed`: the step that ended the plan, and its end. */
export type PlanMove =
  | Readonly<{ kind: 'call'; input: ExecutionInput }>
  | Readonly<{ kind: 'done'; output: ToolPlanOutput }>
  | Readonly<{ kind: 'failed'; step: number; end: ExecutionOutput; output: ToolPlanOutput }>;

export type Fill = (
  template: unknown,
  results: Readonly<Record<string, unknown>>,
) => Readonly<{ ok: true; value: unknown }> | Readonly<{ ok: false; message: string }>;

const DEFAULT_ATTEMPTS = 3;

/** The output of a settled call, with the step that it was an attempt of, from 1. */
export type SettledCall = Readonly<{ step: number; output: ExecutionOutput }>;

/**
 * Folds a plan and its settled calls, in their order, into the next call or the end. One call is open at a time. `fill` gives the
 * arguments of a step their values; a step without a call is filled again with each move, so its failure need not be kept. Pure, if
 * `fill` is.
 */
export function nextInPlan(plan: ToolPlan, settled: readonly SettledCall[], fill: Fill): PlanMove {
  const results: Record<string, unknown> = {};
  const steps: StepEnd[] = [];
  const calls = Map.groupBy(settled, ({ step }) => step);
  for (const [index, step] of plan.entries()) {
    const outputs = calls.get(index + 1)?.map(({ output }) => output) ?? [];
    const next = callOf(step, { index, outputs, filled: (template) => fill(template, results) });
    if (next.kind === 'call') return next;
    steps.push(endOf(step, outputs, next.end));
    if (next.end.status === 'ok' && step.result_field !== undefined) results[step.result_field] = next.end.value;
    if (endsPlan(step, next.end)) return { kind: 'failed', step: index + 1, end: next.end, output: { results, steps } };
  }
  return { kind: 'done', output: { results, steps } };
}

type Attempts = Readonly<{
  index: number;
  outputs: readonly ExecutionOutput[];
  filled: (template: unknown) => ReturnType<Fill>;
}>;

/** The next attempt of a step, or its end. */
function callOf(
  step: ToolStep,
  { index, outputs, filled }: Attempts,
): Readonly<{ kind: 'call'; input: ExecutionInput }> | Readonly<{ kind: 'end'; end: ExecutionOutput }> {
  const last = outputs.at(-1);
  if (last !== undefined && !(mayRepeat(last) && outputs.length < attemptsOf(step))) return { kind: 'end', end: last };
  const given = filled(step.arguments);
  if (!given.ok) return { kind: 'end', end: uncalled('bad_template', given.message) };
  if (!isJsonObject(given.value))
    return { kind: 'end', end: uncalled('bad_template', 'The arguments must be an object.') };
  const { tool_name } = step;
  return {
    kind: 'call',
    input: { step: index + 1, attempt: outputs.length + 1, tool_name, arguments: given.value },
  };
}

const attemptsOf = ({ on_error, attempts = DEFAULT_ATTEMPTS }: ToolStep): number =>
  on_error === 'retry' ? attempts : 1;

/** The same arguments would be refused again, and a call with an unknown end may have happened. */
const mayRepeat = ({ status, code }: ExecutionOutput): boolean => status === 'tool_failed' && code !== 'invalid_input';

const endsPlan = (step: ToolStep, end: ExecutionOutput): boolean =>
  end.status !== 'ok' && (step.on_error !== 'continue' || isFinal(end));

/** True for a spent budget: the engine would refuse each further call too. */
const isFinal = ({ status, code }: ExecutionOutput): boolean =>
  status === 'engine_error' && code !== 'unknown' && code !== 'bad_template';

function endOf({ tool_name }: ToolStep, outputs: readonly ExecutionOutput[], end: ExecutionOutput): StepEnd {
  const times = outputs.flatMap(({ duration_ms: ms }) => ms ?? []);
  return {
    tool_name,
    status: end.status,
    code: end.code,
    text: end.text,
    attempts: outputs.length,
    duration_ms: times.length === 0 ? null : times.reduce((sum, ms) => sum + ms, 0),
    mutations: outputs.flatMap(({ mutations }) => mutations),
  };
}
