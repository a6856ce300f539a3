import { MANIFEST_DENIALS } from '../../effects/tool-outcome.ts';
import type { FailureCategory } from '../plan/failure.ts';

/** The origin of a code: a request to a model, the outcome of a call, the end of a run, or an answer that should be JSON. */
export type FailureOrigin = 'model' | 'tool' | 'run' | 'json';

type Codes = Partial<Readonly<Record<FailureCategory, readonly string[]>>>;

/**
 * The codes of failures by origin and category. It renames none. A test compares it with the lists of models, tools, runs and JSON.
 *
 * `config`: an admin or the author of a manifest must change something, so that a retry is useless. `engine`: budgets, cancels, and
 * failures of the engine or the village itself.
 */
export const FAILURE_CODES: Readonly<Record<FailureOrigin, Codes>> = {
  model: {
    agent: [
      'quota',
      'rate',
      'content_refused',
      'bad_request',
      'overloaded',
      'unreachable',
      'network',
      'bad_answer',
      'cut',
      'token_quota_exhausted',
      'insufficient_funds',
    ],
    context: ['context_too_long'],
    config: ['auth', 'forbidden', 'no_such_model', 'model_not_in_tier', 'model_not_served'],
    engine: ['cancelled', 'lost', 'village_frozen'],
  },
  tool: {
    tool: ['invalid_input', 'timed_out', 'unavailable', 'failed', 'arguments_cut', 'no_result', 'tool_error'],
    permission: ['denied', 'no_such_tool', 'policy', 'person', 'permission_expired', ...MANIFEST_DENIALS],
    engine: ['over_budget', 'unknown', 'budget_steps', 'budget_tokens', 'budget_money', 'budget_time', 'no_progress'],
  },
  run: {
    agent: [
      'empty_answer',
      'answer_cut',
      'no_progress',
      'run_did_nothing',
      'step_failed',
      'refused',
      'no_speech',
      'acp_failed',
      'acp_refused',
      'acp_cut',
      'acp_timed_out',
      'command_failed',
      'command_timed_out',
      'command_out_of_memory',
      'command_disk_full',
      'tests_keep_failing',
      'network_keeps_timing_out',
      'shared_branch_forced',
      'access_denied',
      'disk_full',
    ],
    json: ['output_not_valid', 'result_refused'],
    context: ['context_too_small'],
    permission: ['safe_mode_not_kept'],
    config: [
      'no_model',
      'no_workflow',
      'no_hands',
      'unknown_runtime',
      'mind_changed',
      'acp_misconfigured',
      'acp_not_started',
      'command_misconfigured',
      'command_not_started',
      'program_no_model',
      'program_not_prepared',
      'program_not_installed',
      'program_disk_full',
      'program_registry_off',
      'program_refused',
      'program_changed',
      'program_offline',
      'program_no_npm',
      'program_out_of_memory',
      'program_timed_out',
    ],
    engine: [
      'budget_steps',
      'budget_tokens',
      'budget_money',
      'budget_time',
      'time_limit',
      'timed_out',
      'too_many_steps',
      'too_many_waits',
      'too_many_attempts',
      'parked_too_long',
      'agent_gone',
      'cancel_unconfirmed',
      'not_in_the_world',
      'runtime_failed',
      'diverged',
      'engine_stopped',
      'conversation_busy',
      'run_exists',
      'parent_not_active',
      'plans_unsupported',
      'too_deep',
      'worker_too_deep',
      'worker_too_many',
      'worker_no_tokens',
      'worker_no_money',
      'worker_forgotten',
      'parent_ended',
      'no_such_run',
      'journal_newer',
      'journal_damaged',
    ],
  },
  json: { json: ['JSON_SYNTAX_ERROR', 'JSON_SCHEMA_MINOR_MISMATCH', 'JSON_SCHEMA_MAJOR_MISMATCH'] },
};

/** Categories of codes that the table lacks, such as those of a tool's author. */
const OTHER: Readonly<Record<FailureOrigin, FailureCategory>> = {
  model: 'agent',
  tool: 'tool',
  run: 'agent',
  json: 'json',
};

/** Before the code of a model, in the code of a run. */
const OF_MODEL = 'model_';

const entries = (codes: Codes): readonly (readonly [string, FailureCategory])[] =>
  Object.entries(codes).flatMap(([category, list]) => list.map((code) => [code, category as FailureCategory] as const));

const CATEGORIES: Readonly<Record<FailureOrigin, ReadonlyMap<string, FailureCategory>>> = {
  model: new Map(entries(FAILURE_CODES.model)),
  tool: new Map(entries(FAILURE_CODES.tool)),
  run: new Map(entries(FAILURE_CODES.run)),
  json: new Map(entries(FAILURE_CODES.json)),
};

/** The category of a failure, by its code and origin. `model_rate` of a run is `rate` of its model. An unknown code has that of its origin. */
export function failureOf(code: string, origin: FailureOrigin): FailureCategory {
  const known = CATEGORIES[origin].get(code);
  if (known !== undefined) return known;
  if (origin === 'run' && code.startsWith(OF_MODEL)) return failureOf(code.slice(OF_MODEL.length), 'model');
  return OTHER[origin];
}
