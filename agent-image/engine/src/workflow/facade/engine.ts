import { createHash, randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { createFlow } from '../../flow/create-flow.ts';
import { canonicalJson } from '../../json/canonical-json.ts';
import { JournalError, type Journal } from '../../journal/journal.ts';
import { openSqliteJournal } from '../../journal/sqlite-journal.ts';
import type { RunOutcome } from '../../loop/advance.ts';
import { createEngine, type Begun, type Engine as Loop, type GivenAnswer } from '../../loop/engine.ts';
import type { EnginePorts } from '../../loop/kit.ts';
import type { ModelPort } from '../../loop/ports.ts';
import { SYSTEM_CLOCK } from '../../loop/system-clock.ts';
import { loadManifests } from '../manifest/load-manifests.ts';
import { MANIFEST_NAMES, type Manifests } from '../manifest/manifests.ts';
import { planText } from '../plan/plan-text.ts';
import type { Plugin } from '../plugins/plugin.ts';
import { choosePipeline, type RoutingDecision } from '../route/choose-pipeline.ts';
import { Override } from '../route/override.ts';
import type { TelemetryEvent } from '../telemetry/event.ts';
import type { TelemetryNotice } from '../telemetry/project.ts';
import type { ToolRules } from '../tools/check-tool-call.ts';
import { manifestLines } from '../tools/manifest-lines.ts';
import type { ToolHandler } from '../tools/tool-handler.ts';
import type { RolledBack } from '../tools/rollback.ts';
import { openWorkspace, type Workspace } from '../tools/workspace.ts';
import { budgetsOf, DEFAULT_BUDGET } from './agent-request.ts';
import { configError, EngineError } from './engine-error.ts';
import { createModelPort } from './models/model-port.ts';
import { Observation, type PluginFactory } from './observation.ts';
import { rollBackTask } from './roll-back-task.ts';
import { taskOf, type Task, type TaskRecord } from './task.ts';
import { TaskMemory } from './task-memory.ts';
import { taskParts } from './task-parts.ts';
import { Tasks } from './tasks.ts';

export type EngineOptions = Readonly<{
  /** The folder of journal, memory and telemetry; by default `.hamlet` in the folder of the manifests. One engine uses it at a time. */
  data?: string;
  /** The folder in which built-in tools work; by default that of the manifests. */
  workspace?: string;
  /** Variables with the keys of models; by default those of the process. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Answers instead of the models of `agents.yaml`, for tests. */
  models?: ModelPort;
  /** Plugins that `plugins.yaml` may name in `uses`, besides those of the engine. */
  plugins?: Readonly<Record<string, PluginFactory>>;
}>;

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

/** Time for requests and calls in progress when the engine closes. A later engine repeats what it cuts off, by the effect of each call. */
const INTERRUPT_GRACE_MS = 2_000;

type Opening = Readonly<{
  manifests: Manifests;
  journal: Journal;
  data: string;
  workspace: Workspace;
  lineOf: ToolRules['lineOf'];
  env: NonNullable<EngineOptions['env']>;
  options: EngineOptions;
}>;

type Chosen = Readonly<{ id: string; decision: RoutingDecision }>;

const MAX_INPUT_CHARS = 4_000_000;
const MAX_TAGS = 64;
const TASK_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/**
 * Carries out the workflow of a folder of manifests. Each task is a run of one journal: a task that was interrupted, also by the end of the
 * process, continues where it was. Methods reject with an `EngineError`; how a task ends is in the task.
 */
export class Engine {
  readonly #manifests: Manifests;
  readonly #hash: string;
  readonly #journal: Journal;
  readonly #workspace: Workspace;
  readonly #tasks: Tasks;
  readonly #loop: Loop;
  readonly #observation: Observation;
  readonly #outcomes = new Map<string, RunOutcome>();
  #isClosed = false;

  private constructor(
    parts: Readonly<{
      manifests: Manifests;
      journal: Journal;
      workspace: Workspace;
      tasks: Tasks;
      loop: Loop;
      observation: Observation;
    }>,
  ) {
    this.#manifests = parts.manifests;
    this.#hash = createHash('sha256').update(canonicalJson(parts.manifests)).digest('hex');
    this.#journal = parts.journal;
    this.#workspace = parts.workspace;
    this.#tasks = parts.tasks;
    this.#loop = parts.loop;
    this.#observation = parts.observation;
  }

  /** Reads and checks the manifests of a folder, and opens its data. Rejects with `config_error` and all faults, or `data_locked`. */
  static async fromConfigDir(dir: string, options: EngineOptions = {}): Promise<Engine> {
    const loaded = await loadManifests(dir);
    if (!loaded.ok) throw configError(loaded.errors);
    const manifests = loaded.value;
    for (const { id } of manifests.pipelines) taskParts(manifests, id, manifests.overrides);
    const data = resolve(options.data ?? join(dir, '.hamlet'));
    await mkdir(data, { recursive: true });
    const env = options.env ?? process.env;
    const files = MANIFEST_NAMES.map((name) => join(dir, name));
    const root = options.workspace ?? dir;
    const workspace = await openWorkspace({ root, data, manifests: files, environment: env });
    const lineOf = await manifestLines(dir);
    const journal = openJournal(join(data, 'journal.db'));
    try {
      return Engine.#on({ manifests, journal, data, workspace, lineOf, env, options });
    } catch (error) {
      journal.close();
      throw error;
    }
  }

  static #on({ manifests, journal, data, workspace, lineOf, env, options }: Opening): Engine {
    const factories = options.plugins ?? {};
    const observation = new Observation({ manifests, data, env, factories, textOf: journal.textOf });
    const memory = new TaskMemory({ manifests, data });
    const notify = (notice: TelemetryNotice): void => observation.notice(notice);
    const { plugins } = observation;
    const tasks = new Tasks({ manifests, journal, workspace, lineOf, plugins, memory, notify });
    const ports = {
      journal,
      model: options.models ?? createModelPort({ models: manifests.models, env }),
      tools: [],
      toolsOf: (run) => tasks.toolsOf(run),
      policy: { judge: (call) => tasks.judge(call) },
      approvals: { ask: async (question) => tasks.ask(question) },
      memory: { recall: async () => [] },
      clock: SYSTEM_CLOCK,
      ids: { next: () => randomUUID() },
      compaction: null,
      flow: createFlow(tasks.flowPorts),
      notify,
    } satisfies EnginePorts;
    const loop = createEngine(ports, { interruptGraceMs: INTERRUPT_GRACE_MS });
    return new Engine({ manifests, journal, workspace, tasks, loop, observation });
  }

  /** Gives a tool of `tools.yaml` with `uses: handler` its function. Rejects a tool that no manifest names: `handler_unknown`. */
  registerToolHandler(tool: string, handler: ToolHandler): void {
    const named = this.#manifests.tools.some(({ id, uses }) => id === tool && uses === 'handler');
    if (!named)
      throw new EngineError(
        'handler_unknown',
        `tools.yaml has no tool ${tool} with uses: handler. Add it there, or correct the name.`,
      );
    this.#tasks.registerHandler(tool, handler);
  }

  /** Creates a task, whose status is then `PENDING`, and keeps it in the journal. */
  async createTask(spec: TaskSpec): Promise<Task> {
    this.#checkOpen();
    const checked = this.#checked(spec);
    const { id, input, mode = null, tags = [] } = checked;
    const overrides = [...this.#manifests.overrides, ...(spec.overrides ?? []).map(checkedOverride)];
    const chosen = this.#pipelineFor(checked, overrides);
    return this.#open({ id, input, mode, tags, overrides, routing: [chosen.decision] }, chosen.id);
  }

  /**
   * Creates a task that repeats an earlier one from a stage on, with the manifests as they are now: what was done before that stage is taken
   * over. `input`: of the stage, instead of the one that it had. Rejects a stage that the plan has not, or that had not begun.
   */
  async rerunTask(
    of: string,
    { stage, input, id = randomUUID() }: Readonly<{ stage: string; input?: unknown; id?: string }>,
  ): Promise<Task> {
    this.#checkOpen();
    const earlier = this.task(of);
    if (!earlier.stages.some((each) => each.id === stage && each.status !== 'SKIPPED'))
      throw new EngineError(
        'no_such_stage',
        `The task ${of} has not begun a stage ${stage}. Its stages are ${earlier.stages.map((each) => each.id).join(', ')}.`,
      );
    this.#tasks.checkRerun(of, stage);
    const { overrides, routing, mode, tags } = this.#tasks.recordOf(of);
    const checked = this.#checked({ id, input: input ?? null });
    const rerun = input === undefined ? { of, stage } : { of, stage, input: checked.input };
    const record = { id: checked.id, input: earlier.input, mode, tags, overrides, routing, rerun };
    return this.#open(record, earlier.pipeline);
  }

  async #open(given: Omit<TaskRecord, 'manifests' | 'changes'>, pipeline: string): Promise<Task> {
    const { id } = given;
    const { plan, budget, changes } = taskParts(this.#manifests, pipeline, given.overrides);
    this.#tasks.checkHandlers();
    const record: TaskRecord = { ...given, changes, manifests: this.#hash };
    const opened = await this.#loop.open({
      run: id,
      conversation: id,
      input: '',
      prompt: { stable: '', situation: '' },
      model: 'none',
      budgets: budgetsOf(budget, DEFAULT_TASK_BUDGET),
      stage: { id: 'task', plan: planText(plan) },
      flow: { workflow: plan.workflow, pipeline: plan.pipeline, task: JSON.stringify(record) },
    });
    if (!opened.ok && opened.code === 'run_exists')
      throw new EngineError('task_exists', `There is a task ${id} already. Resume it, or choose another id.`);
    if (!opened.ok) throw new EngineError('engine_closed', `The task cannot be created: ${opened.code}.`);
    return this.task(id);
  }

  /** Begins a task that was created, and resolves when it has ended or waits. */
  async runTask(id: string): Promise<Task> {
    return this.resumeTask(id);
  }

  /**
   * Continues a task where it was, and resolves when it has ended or waits. `answers`: to the questions that it waits for. Rejects with
   * `plan_changed` if the manifests have changed since it was created.
   */
  async resumeTask(id: string, { answers = [] }: Readonly<{ answers?: readonly GivenAnswer[] }> = {}): Promise<Task> {
    this.#checkOpen();
    const task = this.task(id);
    if (hasEnded(task)) return task;
    this.#checkManifests(id);
    this.#tasks.checkHandlers();
    this.#catchUp(id);
    return this.#ended(id, this.#loop.resume(id, { answers }));
  }

  /** Creates a task and runs it. */
  async runOne(spec: TaskSpec): Promise<Task> {
    const { id } = await this.createTask(spec);
    return this.runTask(id);
  }

  /** Cancels a task with the work of its agents and tools. A task that has ended stays as it is. */
  async cancelTask(id: string): Promise<Task> {
    this.#checkOpen();
    const task = this.task(id);
    if (hasEnded(task)) return task;
    this.#catchUp(id);
    return this.#ended(id, this.#loop.cancel(id));
  }

  /**
   * Restores the files that the tools of an ended task changed, the last change first. A file that changed since, or whose copy was deleted
   * to make room, stays as it is.
   */
  async rollbackTask(id: string): Promise<readonly RolledBack[]> {
    this.#checkOpen();
    const task = this.task(id);
    if (!hasEnded(task)) throw new EngineError('task_open', `The task ${id} is ${task.status}. Cancel it first.`);
    return rollBackTask(this.#journal, this.#workspace, id);
  }

  /** Telemetry needs the past of a task that another engine began. */
  #catchUp(id: string): void {
    if (!this.#tasks.isActive(id)) this.#observation.catchUp(this.#tasks.eventsOf(id));
  }

  /** Adds a plugin after those of `plugins.yaml`. Throws a `PluginError` if it cannot be used. */
  register(plugin: Plugin): void {
    this.#observation.plugins.register(plugin);
  }

  /** Calls the listener with the telemetry events from now on, redacted. The result ends that. */
  events(listener: (event: TelemetryEvent) => void): () => void {
    return this.#observation.subscribe(listener);
  }

  /** The task as it is now. Throws `no_such_task`. */
  task(id: string): Task {
    const task = taskOf(this.#journal, id, {
      isActive: this.#tasks.isActive(id),
      outcome: this.#outcomes.get(id) ?? null,
      questionOf: this.#tasks.questionOf,
    });
    if (task !== null) return task;
    throw new EngineError('no_such_task', `There is no task ${id} in this folder's data.`);
  }

  /** Interrupts the tasks, which another engine may resume, and closes the data. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#loop.interrupt();
    await this.#tasks.close();
    await this.#observation.close();
    this.#journal.close();
  }

  async #ended(id: string, begun: Begun): Promise<Task> {
    if (!begun.ok) {
      if (begun.code === 'closed') return this.task(id);
      throw new EngineError('engine_closed', `The task ${id} cannot continue: ${begun.code}.`);
    }
    this.#tasks.begin(id);
    let isLast = false;
    try {
      this.#outcomes.set(id, await begun.outcome);
    } finally {
      isLast = this.#tasks.end(id);
    }
    const task = this.task(id);
    if (task.waiting === null) this.#outcomes.delete(id);
    // Callers that wait for the same work see one end of the task.
    if (isLast) await this.#tasks.afterTask(task);
    return task;
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new EngineError('engine_closed', 'The engine is closed. Open another one.');
  }

  #checked<S extends Pick<TaskSpec, 'input' | 'id' | 'tags'>>(spec: S): S & Readonly<{ id: string }> {
    const { id = randomUUID(), tags = [] } = spec;
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
    return { ...spec, id, input: JSON.parse(text) };
  }

  #pipelineFor(spec: TaskSpec & Readonly<{ id: string }>, overrides: readonly Override[]): Chosen {
    const { pipeline: named, tags = [], id: task } = spec;
    const mode = spec.mode ?? null;
    if (named !== undefined)
      return { id: named, decision: { kind: 'pipeline', chosen: named, reason: 'the task names it', candidates: [] } };
    const chosen = choosePipeline(this.#manifests.pipelines, { mode, tags, overrides });
    if (!chosen.ok) throw new EngineError('no_pipeline', chosen.failure.message);
    const { pipeline, decision } = chosen;
    const candidates = decision.candidates.filter(({ fits }) => fits).map(({ id }) => id);
    const learned = candidates.length < 2 ? null : this.#observation.plugins.route({ task, mode, tags, candidates });
    if (learned === null) return { id: pipeline.id, decision };
    return {
      id: learned,
      decision: { ...decision, chosen: learned, reason: 'a plugin chose it among those that fit' },
    };
  }

  #checkManifests(id: string): void {
    if (this.#tasks.recordOf(id).manifests === this.#hash) return;
    const fix = 'Restore the manifests to resume it, or run it again from a stage with the new ones.';
    throw new EngineError('plan_changed', `The manifests have changed since the task ${id} was created. ${fix}`);
  }
}

const hasEnded = ({ status }: Task): boolean => status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED';

/** A task may use more than one agent, so its own limits are wide. */
const DEFAULT_TASK_BUDGET = { ...DEFAULT_BUDGET, steps: 10_000, tokens: 100_000_000, timeMs: 7 * 86_400_000 };

function openJournal(path: string): Journal {
  try {
    return openSqliteJournal(path);
  } catch (error) {
    if (!(error instanceof JournalError) || error.code !== 'journal_locked') throw error;
    throw new EngineError('data_locked', `Another engine uses ${path}. Close it, or name another data folder.`, {
      cause: error,
    });
  }
}

function checkedOverride(given: unknown): Override {
  const read = Override.safeParse(given);
  if (read.success) return read.data;
  throw new EngineError('input_invalid', `An override is not valid: ${z.prettifyError(read.error)}. Correct it.`);
}

/** The JSON text of a value; undefined if it has none. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
