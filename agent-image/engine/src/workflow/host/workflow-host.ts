import { createFlow } from '../../flow/create-flow.ts';
import type { Budgets } from '../../journal/event.ts';
import type { Journal } from '../../journal/journal.ts';
import type { RunOutcome } from '../../loop/advance.ts';
import type { EnginePorts } from '../../loop/kit.ts';
import type { Manifests } from '../manifest/manifests.ts';
import { readManifests } from '../manifest/read-manifests.ts';
import { readText } from '../manifest/read-text.ts';
import type { ConfigError } from '../plan/config-error.ts';
import type { TelemetryNotice } from '../telemetry/project.ts';
import { linesIn } from '../tools/manifest-lines.ts';
import { budgetsOf, type AgentRequest } from '../facade/agent-request.ts';
import { configError, EngineError } from '../facade/engine-error.ts';
import type { HostTools, Place } from '../facade/host-tools.ts';
import { Observation } from '../facade/observation.ts';
import { hasEnded, taskOf, type Task } from '../facade/task.ts';
import type { MemoryOfTasks } from '../facade/task-memory.ts';
import { taskParts } from '../facade/task-parts.ts';
import {
  type AskedRepeat,
  type AskedTask,
  hashOf,
  newTask,
  repeatedTask,
  type RequestSetting,
  type TaskRequest,
} from '../facade/task-request.ts';
import { Tasks } from '../facade/tasks.ts';

type HostSetting = Readonly<{
  /** The texts of the manifests by the names of their files. */
  files: ReadonlyMap<string, string>;
  /** The journal of the engine that gets `ports`. */
  journal: Journal;
  /** An existing folder for plugins and telemetry. */
  data: string;
  tools: HostTools;
}>;

/**
 * The tasks of a host may be of different people, and their texts may come from outside. The memory of workflows knows neither, so tasks
 * leave nothing to later ones.
 */
const NO_MEMORY: MemoryOfTasks = { recall: async () => [], keep: async () => {}, close: () => {} };

/** The ports of an engine that carries out the tasks. `policy` judges by the manifests alone: the rules of the host come on top. */
type HostPorts = Required<Pick<EnginePorts, 'flow' | 'toolsOf' | 'policy' | 'notify'>>;

/**
 * Carries out the tasks of one set of manifests for a host: a program with its own journal, tools and runs. A stage asks its agent by a
 * call of the host's tool `asking`, which starts a run for the stage. Methods throw an `EngineError`.
 */
export class WorkflowHost {
  readonly ports: HostPorts;
  readonly #journal: Journal;
  readonly #manifests: Manifests;
  readonly #hash: string;
  readonly #tasks: Tasks;
  readonly #observation: Observation;

  private constructor({ files, journal, data, tools }: HostSetting, manifests: Manifests) {
    const factories = {};
    const observation = new Observation({ manifests, data, env: {}, factories, textOf: journal.textOf });
    const notify = (notice: TelemetryNotice): void => observation.notice(notice);
    const { plugins } = observation;
    const tasks = new Tasks({
      manifests,
      journal,
      by: tools,
      lineOf: linesIn(files),
      plugins,
      memory: NO_MEMORY,
      notify,
    });
    this.#journal = journal;
    this.#manifests = manifests;
    // A newer engine may read the same texts with other defaults.
    this.#hash = hashOf(Object.fromEntries(files));
    this.#tasks = tasks;
    this.#observation = observation;
    this.ports = {
      flow: createFlow(tasks.flowPorts),
      toolsOf: (run) => tasks.toolsOf(run),
      policy: { judge: (call) => tasks.judge(call) },
      notify,
    };
  }

  /** Checks the manifests, with the tools of the host. Throws `config_error` with all faults. */
  static open(setting: HostSetting): WorkflowHost {
    const read = readManifests(setting.files);
    if (!read.ok) throw configError(read.errors);
    const manifests = read.value;
    const missing = toolErrors(setting, manifests);
    if (missing.length > 0) throw configError(missing);
    for (const { id } of manifests.pipelines) taskParts(manifests, id, manifests.overrides);
    return new WorkflowHost(setting, manifests);
  }

  /** The run of a new task within these limits. */
  newTask(spec: AskedTask, budgets: Budgets): TaskRequest {
    return within(newTask(this.#setting(budgets), spec), budgets);
  }

  /** The run of a task that repeats a task of the journal from a stage on, within these limits. */
  repeatedTask(of: string, from: AskedRepeat, budgets: Budgets): TaskRequest {
    return within(repeatedTask(this.#setting(budgets), this.task(of), from), budgets);
  }

  #setting(budgets: Budgets): RequestSetting {
    const { plugins } = this.#observation;
    const route: RequestSetting['route'] = (question) => plugins.route(question);
    return { manifests: this.#manifests, hash: this.#hash, tasks: this.#tasks, route, budgets };
  }

  /** Call it when work on a task begins or continues. Throws `plan_changed` if the journal has the task with other manifests. */
  begin(task: string): void {
    if (this.#journal.rowOf(task) !== null) {
      if (this.#tasks.recordOf(task).manifests !== this.#hash)
        throw new EngineError('plan_changed', `The manifests have changed since the task ${task} was created.`);
      this.#observation.catchUp(this.#tasks.eventsOf(task));
    }
    this.#tasks.begin(task);
  }

  /** Call it when work on a task stops: it has ended, or waits. */
  async end(task: string): Promise<void> {
    const now = this.#taskIn(task);
    this.#tasks.end(task);
    if (now !== null && hasEnded(now)) await this.#tasks.afterTask(now);
  }

  /** Assigns a run of the host to a stage, whose agent's tools it then has. Call it before the run begins or continues. */
  place(run: string, place: Place): void {
    this.#tasks.place(run, place);
  }

  /** The prompt, model, limits and output schema of the run for a stage, from the journal. */
  requestOf(place: Place): Promise<AgentRequest> {
    return this.#tasks.requestOf(place);
  }

  /** The limits of a task, or of a run for a stage: the lower ones of the host's and the manifests'. */
  limitsOf(run: string, given: Budgets): Budgets {
    return leastOf(budgetsOf(this.#tasks.budgetOf(run), given), given);
  }

  /** The name of a model of the manifests; the id itself if they do not list it. */
  modelOf(id: string): string {
    return this.#manifests.models.find((model) => model.id === id)?.name ?? id;
  }

  /** A task of the journal. Throws `no_such_task`. */
  task(id: string): Task {
    const task = this.#taskIn(id);
    if (task !== null) return task;
    throw new EngineError('no_such_task', `The journal has no task ${id}. Create a new task instead.`);
  }

  #taskIn(id: string, outcome: RunOutcome | null = null): Task | null {
    return taskOf(this.#journal, id, { isActive: false, outcome, questionOf: () => null });
  }

  /** Resolves when telemetry is written, and closes it. */
  async close(): Promise<void> {
    await this.#tasks.close();
    await this.#observation.close();
  }
}

const within = (request: TaskRequest, limits: Budgets): TaskRequest => ({
  ...request,
  budgets: leastOf(request.budgets, limits),
});

/** The lower value of each limit. */
export const leastOf = (one: Budgets, other: Budgets): Budgets => ({
  steps: Math.min(one.steps, other.steps),
  tokens: Math.min(one.tokens, other.tokens),
  moneyMicros: Math.min(one.moneyMicros, other.moneyMicros),
  timeMs: Math.min(one.timeMs, other.timeMs),
  idleCalls: Math.min(one.idleCalls, other.idleCalls),
});

const FILE = 'tools.yaml';

/** The tools of the manifests that the host does not have. */
function toolErrors({ files, tools }: HostSetting, { tools: specs }: Manifests): readonly ConfigError[] {
  const text = readText(files.get(FILE) ?? '');
  return specs.flatMap((spec, index): readonly ConfigError[] => {
    const found = spec.id === tools.asking.name ? TAKEN : tools.toolFor({ ...spec });
    if (!('missing' in found)) return [];
    const place = text.ok ? text.placeOf(['tools', index, 'id']) : { line: 1, column: 1 };
    const { missing: message, hint } = found;
    return [{ code: 'config_reference', file: FILE, ...place, path: `tools[${index}].id`, message, hint }];
  });
}

const TAKEN = { missing: 'the engine itself has a tool with this id', hint: 'Choose another id.' };
