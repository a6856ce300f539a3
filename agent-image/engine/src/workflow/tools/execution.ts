import { z } from 'zod';
import type { ToolOutcome } from '../../effects/tool-outcome.ts';
import { isJsonObject } from '../../json/canonical-json.ts';
import { MutationSummary } from './mutation.ts';

const NAME_MAX_CHARS = 200;
const CODE_MAX_CHARS = 64;
const TEXT_MAX_CHARS = 1_000_000;

/** The input of one attempt of a step of a ToolPlan. `step` and `attempt` count from 1. Field names are those of its JSON form. */
export const ExecutionInput = z.strictObject({
  step: z.int().min(1),
  attempt: z.int().min(1),
  tool_name: z.string().min(1).max(NAME_MAX_CHARS),
  arguments: z.record(z.string(), z.unknown()),
});
export type ExecutionInput = Readonly<z.infer<typeof ExecutionInput>>;

/**
 * `tool_failed`: the tool ran and failed, or refused its arguments. `permission_denied`: a manifest, the policy or a person forbade it.
 * `engine_error`: the engine did not call the tool, or cannot know how the call ended.
 */
const EXECUTION_STATUSES = ['ok', 'tool_failed', 'permission_denied', 'engine_error'] as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

/** The end of one attempt. `value` is the result of an attempt that is ok, else null; `text` is the reason of any other, else null. */
export const ExecutionOutput = z.strictObject({
  status: z.enum(EXECUTION_STATUSES),
  /** Machine-readable; null if ok. */
  code: z.string().max(CODE_MAX_CHARS).nullable(),
  value: z.unknown(),
  text: z.string().max(TEXT_MAX_CHARS).nullable(),
  /** Milliseconds; null if the call did not run. */
  duration_ms: z.number().min(0).nullable(),
  /** Files that the call changed. */
  mutations: MutationSummary,
});
export type ExecutionOutput = Readonly<Omit<z.infer<typeof ExecutionOutput>, 'mutations'>> &
  Readonly<{ mutations: MutationSummary }>;

const failed = (
  status: Exclude<ExecutionStatus, 'ok'>,
  { code, text, durationMs }: Readonly<{ code: string; text: string; durationMs: number | null }>,
): ExecutionOutput => ({
  status,
  code: code.slice(0, CODE_MAX_CHARS),
  value: null,
  text: text.slice(0, TEXT_MAX_CHARS),
  duration_ms: durationMs,
  mutations: [],
});

/** A step that could not be called. Pure. */
export const uncalled = (code: string, text: string): ExecutionOutput =>
  failed('engine_error', { code, text, durationMs: null });

/** The outcome of a call as the output of its step. `durationMs` is null if the call did not run. Pure. */
export function executionOutput(outcome: ToolOutcome, durationMs: number | null): ExecutionOutput {
  switch (outcome.kind) {
    case 'ok': {
      const value = valueOf(outcome.text);
      const mutations = mutationsIn(value);
      return { status: 'ok', code: null, value, text: null, duration_ms: durationMs, mutations };
    }
    case 'denied':
      return failed('permission_denied', { code: outcome.code, text: outcome.text, durationMs });
    case 'failed':
      return failed('tool_failed', { code: outcome.code, text: outcome.text, durationMs });
    case 'invalid_input':
      return failed('tool_failed', { code: 'invalid_input', text: issuesIn(outcome.issues), durationMs });
    case 'timed_out':
      return failed('tool_failed', { code: 'timed_out', text: `It ended after ${outcome.afterMs} ms.`, durationMs });
    case 'unavailable':
      return failed('tool_failed', { code: 'unavailable', text: outcome.text, durationMs });
    case 'over_budget':
      return failed('engine_error', { code: outcome.code, text: 'The task has used its budget.', durationMs });
    case 'unknown':
      return failed('engine_error', { code: 'unknown', text: outcome.text, durationMs });
    default:
      return outcome satisfies never;
  }
}

const issuesIn = (issues: Extract<ToolOutcome, { kind: 'invalid_input' }>['issues']): string =>
  issues.map(({ path, expected }) => `${path === '' ? '(arguments)' : path}: ${expected}`).join('; ');

/** The value of a result: a text that is a JSON object or list stands for it, and any other text for itself. Pure. */
export function valueOf(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A plan of a dry run changes nothing. */
function mutationsIn(value: unknown): MutationSummary {
  if (!isJsonObject(value) || value['planned'] === true) return [];
  const read = MutationSummary.safeParse(value['mutations']);
  return read.success ? read.data : [];
}
