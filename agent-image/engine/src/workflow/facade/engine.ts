import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createFlow } from '../../flow/create-flow.ts';
import { JournalError, type Journal } from '../../journal/journal.ts';
import { openSqliteJournal } from '../../journal/sqlite-journal.ts';
import type { RunOutcome } from '../../loop/advance.ts';
import { createEngine, type Begun, type Engine as Loop, type GivenAnswer } from '../../loop/engine.ts';
import type { EnginePorts } from '../../loop/kit.ts';
import type { ModelPort } from '../../loop/ports.ts';
import { SYSTEM_CLOCK } from '../../loop/system-clock.ts';
import { loadManifests } from '../manifest/load-manifests.ts';
import { MANIFEST_NAMES, type Manifests } from '../manifest/manifests.ts';
import type { Plugin } from '../plugins/plugin.ts';
import type { TelemetryEvent } from '../telemetry/event.ts';
import type { TelemetryNotice } from '../telemetry/project.ts';
import type { ToolRules } from '../tools/check-tool-call.ts';
import { manifestLines } from '../tools/manifest-lines.ts';
import type { ToolHandler } from '../tools/tool-handler.ts';
import type { RolledBack } from '../tools/rollback.ts';
import { openWorkspace, type Workspace } from '../tools/workspace.ts';
import { configError, EngineError } from './engine-error.ts';
import { createModelPort } from './models/model-port.ts';
import { Observation, type PluginFactory } from './observation.ts';
import { rollBackTask } from './roll-back-task.ts';
import { hasEnded, taskOf, type Task } from './task.ts';
import { TaskMemory } from './task-memory.ts';
import { taskParts } from './task-parts.ts';
import { hashOf, newTask, repeatedTask, type RequestSetting, type TaskRequest, type TaskSpec } from './task-request.ts';
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

/**
 * Carries out the workflow of a folder of manifests. Each task is a run of one journal: a task that was interrupted, even by the end of the
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
    parts: Pick<Opening, 'manifests' | 'journal' | 'workspace'> &
      Readonly<{ tasks: Tasks; loop: Loop; observation: Observation }>,
  ) {
    this.#manifests = parts.manifests;
    this.#hash = hashOf(parts.manifests);
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
    const tasks = new Tasks({ manifests, journal, by: workspace, lineOf, plugins, memory, notify });
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
    return this.#open(newTask(this.#setting, { ...spec, id: spec.id ?? randomUUID() }));
  }

  /**
   * Creates a task that repeats an earlier one from a stage on, with the current manifests. It takes over the work
   * before that stage. `input`: replaces that of the stage. Rejects a stage that the plan lacks, or that had not begun.
   */
  async rerunTask(
    of: string,
    { stage, input, id = randomUUID() }: Readonly<{ stage: string; input?: unknown; id?: string }>,
  ): Promise<Task> {
    this.#checkOpen();
    return this.#open(repeatedTask(this.#setting, this.task(of), { stage, input, id }));
  }

  get #setting(): RequestSetting {
    return {
      manifests: this.#manifests,
      hash: this.#hash,
      tasks: this.#tasks,
      route: (question) => this.#observation.plugins.route(question),
    };
  }

  async #open(request: TaskRequest): Promise<Task> {
    this.#tasks.checkHandlers();
    const { run: id } = request;
    const opened = await this.#loop.open(request);
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

  #checkManifests(id: string): void {
    if (this.#tasks.recordOf(id).manifests === this.#hash) return;
    const fix = 'Restore the manifests to resume it, or run it again from a stage with the new ones.';
    throw new EngineError('plan_changed', `The manifests have changed since the task ${id} was created. ${fix}`);
  }
}

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
