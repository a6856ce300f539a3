import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Budgets } from '../../journal/event.ts';
import { canonicalJson } from '../../json/canonical-json.ts';
import type { RunRequest } from '../../loop/engine.ts';
import type { Manifests } from '../manifest/manifests.ts';
import { planText } from '../plan/plan-text.ts';
import type { PluginManager } from '../plugins/plugin-manager.ts';
import { choosePipeline, type RoutingDecision } from '../route/choose-pipeline.ts';
import { Override } from '../route/override.ts';
import { budgetsOf, DEFAULT_BUDGET } from './agent-request.ts';
import { EngineError } from './engine-error.ts';
import type { Task, TaskRecord } from './task.ts';
import { taskParts } from './task-parts.ts';
import type { Tasks } from './tasks.ts';

/** A task to create. `pipeline`: its id instead of a choice by mode, tags and scores. */
export type TaskSpec = Readonly<{
  input: unknown;
  mode?: string;
  tags?: readonly string[];
  pipeline?: string;
  overrides?: readonly Override[];
  /** By default a random one. A task that exists already is refused. */
  id?: string;
}>;

export type TaskRequest = RunRequest & Readonly<{ run: string }>;

export type RequestSetting = Readonly<{
  manifests: Manifests;
  /** `hashOf` the manifests. */
  hash: string;
  tasks: Pick<Tasks, 'checkRerun' | 'recordOf'>;
  route: PluginManager['route'];
  /** The limits of a task, which its manifests may lower; by default wide ones, because a task may use more than one agent. */
  budgets?: Budgets;
}>;

const MAX_INPUT_CHARS = 4_000_000;
const MAX_TAGS = 64;
const TASK_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const DEFAULT_TASK_BUDGET = { ...DEFAULT_BUDGET, steps: 10_000, tokens: 100_000_000, timeMs: 7 * 86_400_000 };

/**
 * Identifies manifests, as they were read or as texts by the names of their files: a task continues only with those that it was created with.
 */
export const hashOf = (manifests: Manifests | Readonly<Record<string, string>>): string =>
  createHash('sha256').update(canonicalJson(manifests)).digest('hex');

/** A new task whose overrides are not checked yet. */
export type AskedTask = Omit<TaskSpec, 'id' | 'overrides'> & Readonly<{ id: string; overrides?: readonly unknown[] }>;

/** A new task that repeats an earlier one from a stage on. `input`: of that stage; by default its earlier one. */
export type AskedRepeat = Readonly<{ id: string; stage: string; input?: unknown }>;

/** The run of a new task. Throws `input_invalid`, `no_pipeline`, or `config_error` if an override does not fit the manifests. */
export function newTask(setting: RequestSetting, spec: AskedTask): TaskRequest {
  const checked = withCheckedInput(spec);
  const { id, input, mode = null, tags = [] } = checked;
  const overrides = [...setting.manifests.overrides, ...(spec.overrides ?? []).map(checkedOverride)];
  const chosen = pipelineFor(setting, checked, overrides);
  return requestOf(setting, { id, input, mode, tags, overrides, routing: [chosen.decision] }, chosen.id);
}

/** The run of a task that repeats `earlier` from a stage on. Throws `no_such_stage`, `plan_changed` and the errors of `newTask`. */
export function repeatedTask(setting: RequestSetting, earlier: Task, { stage, ...given }: AskedRepeat): TaskRequest {
  const { id: of, stages, input, pipeline } = earlier;
  if (!stages.some((each) => each.id === stage && each.status !== 'SKIPPED'))
    throw new EngineError(
      'no_such_stage',
      `The task ${of} has not begun a stage ${stage}. Its stages are ${stages.map((each) => each.id).join(', ')}.`,
    );
  setting.tasks.checkRerun(of, stage);
  const { overrides, routing, mode, tags } = setting.tasks.recordOf(of);
  const checked = withCheckedInput({ id: given.id, input: given.input ?? null });
  const rerun = given.input === undefined ? { of, stage } : { of, stage, input: checked.input };
  return requestOf(setting, { id: checked.id, input, mode, tags, overrides, routing, rerun }, pipeline);
}

function requestOf(
  { manifests, hash, budgets = DEFAULT_TASK_BUDGET }: RequestSetting,
  given: Omit<TaskRecord, 'manifests' | 'changes'>,
  pipeline: string,
): TaskRequest {
  const { id } = given;
  const { plan, budget, changes } = taskParts(manifests, pipeline, given.overrides);
  const record: TaskRecord = { ...given, changes, manifests: hash };
  return {
    run: id,
    conversation: id,
    input: '',
    prompt: { stable: '', situation: '' },
    model: 'none',
    budgets: budgetsOf(budget, budgets),
    stage: { id: 'task', plan: planText(plan) },
    flow: { workflow: plan.workflow, pipeline: plan.pipeline, task: JSON.stringify(record) },
  };
}

function withCheckedInput<S extends Pick<AskedTask, 'id' | 'input' | 'tags'>>(spec: S): S {
  const { id, tags = [] } = spec;
  const text = jsonOf(spec.input ?? null);
  if (text === undefined || text.length > MAX_INPUT_CHARS)
    throw new EngineError(
      'input_invalid',
      `The input of a task is a JSON value of at most ${MAX_INPUT_CHARS} characters.`,
    );
  if (!TASK_ID.test(id) || tags.length > MAX_TAGS)
    throw new EngineError(
      'input_invalid',
      `The id of a task has letters, digits, _ and -, at most 64; it has at most ${MAX_TAGS} tags.`,
    );
  return { ...spec, input: JSON.parse(text) };
}

type Chosen = Readonly<{ id: string; decision: RoutingDecision }>;

function pipelineFor(
  { manifests, route }: RequestSetting,
  { pipeline: named, tags = [], id: task, mode = null }: Omit<AskedTask, 'mode'> & { mode?: string | null },
  overrides: readonly Override[],
): Chosen {
  if (named !== undefined)
    return { id: named, decision: { kind: 'pipeline', chosen: named, reason: 'the task names it', candidates: [] } };
  const chosen = choosePipeline(manifests.pipelines, { mode, tags, overrides });
  if (!chosen.ok) throw new EngineError('no_pipeline', chosen.failure.message);
  const { pipeline, decision } = chosen;
  const candidates = decision.candidates.filter(({ fits }) => fits).map(({ id }) => id);
  const learned = candidates.length < 2 ? null : route({ task, mode, tags, candidates });
  if (learned === null) return { id: pipeline.id, decision };
  return {
    id: learned,
    decision: { ...decision, chosen: learned, reason: 'a plugin chose it among those that fit' },
  };
}

function checkedOverride(given: unknown): Override {
  const read = Override.safeParse(given);
  if (read.success) return read.data;
  throw new EngineError('input_invalid', `An override is not valid: ${z.prettifyError(read.error)}. Correct it.`);
}

/** The JSON text of a value; undefined for a value that JSON cannot express. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
