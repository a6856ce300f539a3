import type { ContextItem } from '../../context/agent-prompt.ts';
import type { Tool } from '../../effects/tool.ts';
import { agentRunOf } from '../../flow/agent-stage.ts';
import type { FlowPorts, StageAt } from '../../flow/flow-ports.ts';
import type { JournalEvent } from '../../journal/event.ts';
import { reroutedBefore } from '../../flow/rerun.ts';
import type { Journal } from '../../journal/journal.ts';
import type { PolicyPort, ProposedCall, Question } from '../../loop/ports.ts';
import { loadRun } from '../../loop/transcript.ts';
import { NO_FLOW, type FlowStage, type FlowState } from '../../state/flow-state.ts';
import type { RunState } from '../../state/run-state.ts';
import type { Manifests } from '../manifest/manifests.ts';
import type { AgentSpec, BudgetSpec } from '../manifest/schemas.ts';
import type { NodeRole, Plan } from '../plan/plan.ts';
import { stageOfCall } from '../plan/stage-call-id.ts';
import { withToolHooks, type PlaceOf } from '../plugins/hook-tools.ts';
import type { PluginManager } from '../plugins/plugin-manager.ts';
import { createTaskHooks, type TaskHooks } from '../plugins/task-hooks.ts';
import type { TelemetryNotice } from '../telemetry/project.ts';
import type { ToolRules } from '../tools/check-tool-call.ts';
import { hasOutsideText } from '../tools/outside-text.ts';
import { toolsOf } from '../tools/tools-of.ts';
import type { ToolHandler } from '../tools/tool-handler.ts';
import type { Workspace } from '../tools/workspace.ts';
import { agentOfRun, budgetOfStage, stageOf } from './agent-of-run.ts';
import { agentRequest, taskText, tokensOf, type AgentRequest } from './agent-request.ts';
import { EngineError } from './engine-error.ts';
import { flowBefore } from './flow-before.ts';
import { hosted, toolIn, type HostTools, type Place } from './host-tools.ts';
import type { Task, TaskRecord } from './task.ts';
import { taskParts, type TaskParts } from './task-parts.ts';
import type { MemoryOfTasks } from './task-memory.ts';
import { toolStep } from './tool-step.ts';

type Known = Readonly<{ record: TaskRecord; parts: TaskParts; tools: Map<string | null, readonly Tool[]> }>;

const NO_TOOLS: readonly Tool[] = [];

/** Importance of the result of an earlier stage for an agent. */
const RESULT_IMPORTANCE = 0.5;

/** The tasks of an engine, with what their manifests say about them. Keeps in memory only tasks under way. */
export class Tasks {
  readonly #manifests: Manifests;
  readonly #journal: Journal;
  readonly #by: Workspace | HostTools;
  /** The stages of the runs of a host; and these runs by the ids that runs of this engine would have (`agentRunOf`). */
  readonly #places = new Map<string, Place>();
  readonly #runs = new Map<string, string>();
  readonly #lineOf: ToolRules['lineOf'];
  readonly #handlers = new Map<string, ToolHandler>();
  readonly #known = new Map<string, Known>();
  readonly #active = new Map<string, number>();
  readonly #plugins: Pick<PluginManager, 'emit'>;
  readonly #hooks: TaskHooks;
  readonly #questions = new Map<string, Question>();
  readonly #memory: MemoryOfTasks;
  readonly #notify: (notice: TelemetryNotice) => void;
  #keeping: Promise<unknown> = Promise.resolve();
  /** The answers of plugins to tasks under way. */
  readonly #asked = new Map<string, Promise<string | null>>();

  constructor(
    parts: Readonly<{
      manifests: Manifests;
      journal: Journal;
      /** The folder in which tools work, or the tools of a host. */
      by: Workspace | HostTools;
      lineOf: ToolRules['lineOf'];
      plugins: Pick<PluginManager, 'emit'>;
      memory: MemoryOfTasks;
      notify: (notice: TelemetryNotice) => void;
    }>,
  ) {
    this.#memory = parts.memory;
    this.#notify = parts.notify;
    this.#plugins = parts.plugins;
    this.#hooks = createTaskHooks({
      plugins: parts.plugins,
      taskOf: (run) => run,
      agentOf: ({ run, stage, round, attempt }) => ({
        run: agentRunOf(run, { id: stage.id, round, attempt }),
        model: this.#knownOf(run).parts.agents.find(({ id }) => id === stage.agent)?.model ?? '',
      }),
      tokensOf: (run) => this.#tokensOf(run),
    });
    this.#manifests = parts.manifests;
    this.#journal = parts.journal;
    this.#by = parts.by;
    this.#lineOf = parts.lineOf;
  }

  get flowPorts(): FlowPorts {
    const { asking } = hosted(this.#by) ?? {};
    return asking === undefined
      ? this.#ports
      : {
          ...this.#ports,
          agentCall: (at, task) => ({ tool: asking.name, arguments: this.#argumentsOf(at, task) }),
        };
  }

  readonly #ports: FlowPorts = {
    agentRun: (at, flow) => this.#agentRun(at, flow),
    toolStep,
    beforeStage: async (at) => (await this.#beforeTask(at.run)) ?? this.#hooks.beforeStage(at),
    afterStage: (at, end) => {
      this.#hooks.afterStage(at, end);
      this.#keep(at, end);
    },
  };

  /** The answer of the plugins to a task that begins, or continues, in this engine. */
  #beforeTask(task: string): Promise<string | null> {
    const asked = this.#asked.get(task) ?? this.#askAboutTask(task);
    this.#asked.set(task, asked);
    return asked;
  }

  #askAboutTask(task: string): Promise<string | null> {
    const { record, parts } = this.#knownOf(task);
    const { workflow, pipeline } = parts.plan;
    const { mode, tags, input } = record;
    return this.#hooks.beforeTask({ task, run: task, workflow, pipeline, mode, tags: [...tags], input });
  }

  /** Calls the hooks after the end of a task; none while it waits. */
  async afterTask({ id: task, workflow, pipeline, status, output, failure }: Task): Promise<void> {
    const ended = ENDED.get(status);
    if (ended === undefined) return;
    for (const request of this.#questions.keys()) if (isOfTask(request, task)) this.#questions.delete(request);
    await this.#hooks.afterTask({
      task,
      run: task,
      workflow,
      pipeline,
      status: ended,
      output,
      code: failure?.code ?? null,
    });
  }

  registerHandler(tool: string, handler: ToolHandler): void {
    this.#handlers.set(tool, handler);
    for (const { tools } of this.#known.values()) tools.clear();
  }

  /** Throws `handler_missing` if a tool of the manifests has no function yet. */
  checkHandlers(): void {
    if (hosted(this.#by) !== null) return;
    const missing = this.#manifests.tools.filter(({ id, uses }) => uses === 'handler' && !this.#handlers.has(id));
    if (missing.length === 0) return;
    const names = missing.map(({ id }) => id).join(', ');
    throw new EngineError(
      'handler_missing',
      `No function is registered for the tools ${names}. Call registerToolHandler for each.`,
    );
  }

  /** Throws `plan_changed` if edges that a repeated task would take over are different now. */
  checkRerun(of: string, stage: string): void {
    const { opened, flow } = this.#stateOf(of);
    const text = this.#journal.textOf(opened.plan);
    if (flow === null || text === null) return;
    const { plan } = this.#knownIn(of).parts;
    const changed = reroutedBefore(plan, { plan: JSON.parse(text) as Plan, flow }, stage);
    if (changed === null) return;
    const fix = `Repeat it from ${changed}, or create a new task.`;
    throw new EngineError(
      'plan_changed',
      `The edges from ${changed} have changed since the task ${of} was created. ${fix}`,
    );
  }

  begin(task: string): void {
    this.#active.set(task, (this.#active.get(task) ?? 0) + 1);
  }

  /** True if no other caller waits for the task. */
  end(task: string): boolean {
    const left = (this.#active.get(task) ?? 1) - 1;
    if (left > 0) this.#active.set(task, left);
    else this.#active.delete(task);
    if (left > 0) return false;
    this.#known.delete(task);
    this.#asked.delete(task);
    for (const [run, place] of this.#places) if (place.task === task) this.#places.delete(run);
    for (const name of this.#runs.keys()) if (isOfTask(name, task)) this.#runs.delete(name);
    return true;
  }

  /** Assigns a run of the host to a stage, whose agent's tools it then has. */
  place(run: string, place: Place): void {
    this.#places.set(run, place);
    this.#runs.set(agentRunOf(place.task, { ...place, id: place.stage }), run);
  }

  /** The limits of the manifests for a task at work, or for the run of a host for a stage. */
  budgetOf(run: string): BudgetSpec {
    const place = this.#places.get(run);
    const task = place?.task ?? run;
    if (!this.#active.has(task) || this.#journal.rowOf(task) === null) return {};
    const { parts } = this.#knownOf(task);
    return place === undefined ? parts.budget : budgetOfStage(parts, place.stage);
  }

  /** The request for the run of a host for a stage, from the journal. Fails if the stage is not open. */
  async requestOf({ task, ...wanted }: Place): Promise<AgentRequest> {
    const { flow } = this.#stateOf(task);
    const open = flow?.stages.get(wanted.stage);
    const stage = this.#knownOf(task).parts.plan.stages.find(({ id }) => id === wanted.stage);
    if (stage === undefined || open === undefined || !isAt(open, wanted)) {
      const message = `The stage ${wanted.stage} is not open in round ${wanted.round}, attempt ${wanted.attempt}.`;
      return { ok: false, failure: { category: 'engine', code: 'no_such_stage', message } };
    }
    const input: unknown = JSON.parse(this.#journal.textOf(open.input) ?? 'null');
    const before = flowBefore(flow ?? NO_FLOW, this.#eventsOfRun(task), wanted);
    return this.#agentRun({ ...wanted, run: task, stage, input }, before);
  }

  #argumentsOf(at: StageAt, task: RunState): Readonly<Record<string, unknown>> {
    const { plan, agents } = this.#knownOf(at.run).parts;
    const agent = agents.find(({ id }) => id === at.stage.agent);
    const host = hosted(this.#by);
    if (agent === undefined || host === null) throw new Error(`No agent ${at.stage.agent} in the manifests.`);
    return host.argumentsOf({ at, agent, plan, text: taskText(at.input), task });
  }

  /** A person must allow calls of tools whose manifest says `ask`. Permissions of manifests are judged by the tools themselves. */
  judge({ tool }: Pick<ProposedCall, 'tool'>): ReturnType<PolicyPort['judge']> {
    const isAsked = this.#manifests.tools.some(({ id, ask }) => id === tool && ask);
    return isAsked
      ? { verdict: 'ask', reason: `tools.yaml has ask: true for ${tool}.` }
      : { verdict: 'allow', reason: '' };
  }

  /** Keeps a question for people while its task is open. */
  ask(question: Question): void {
    this.#questions.set(question.request, question);
  }

  questionOf = (request: string): Question | null => this.#questions.get(request) ?? null;

  isActive = (task: string): boolean => this.#active.has(task);

  /** The events of a task, and then those of the runs of its agents. */
  eventsOf(task: string): readonly JournalEvent[] {
    const own = this.#eventsOfRun(task);
    const ofAgents = own.flatMap((event) => {
      if (event.type !== 'stage_opened' || event.flow === undefined || !ASKING.has(event.flow.role)) return [];
      const { round, attempt } = event.flow;
      const name = agentRunOf(task, { id: event.stage, round, attempt });
      return this.#eventsOfRun(this.#runs.get(name) ?? name);
    });
    return [...own, ...ofAgents];
  }

  #eventsOfRun(run: string): readonly JournalEvent[] {
    const found = this.#journal.eventsOf(run);
    return found.ok ? found.events : [];
  }

  recordOf = (task: string): TaskRecord => this.#known.get(task)?.record ?? this.#recordIn(this.#stateOf(task));

  /** The tools of a run: all those of the manifests for a tool stage, or those of the agent of a stage. */
  toolsOf(run: string): readonly Tool[] {
    const place = this.#places.get(run);
    const task = place?.task ?? this.#journal.rowOf(run)?.parent ?? run;
    // Only a run that is assigned to a stage has tools.
    if (place === undefined && task !== run && hosted(this.#by) !== null) return NO_TOOLS;
    const { parts, tools } = this.#knownOf(task);
    const agent = agentOfRun(parts, { run, task, place });
    const known = tools.get(agent);
    if (known !== undefined) return known;
    const made = this.#toolsFor(parts, agent);
    tools.set(agent, made);
    return made;
  }

  #toolsFor({ agents, tools, mode }: TaskParts, agent: string | null): readonly Tool[] {
    const { permissions } = this.#manifests;
    const by = this.#by;
    const host = hosted(by);
    const made = toolsOf({
      manifests: { permissions, tools, agents },
      ...('root' in by ? { handlers: this.#handlers, workspace: by } : { toolFor: toolIn(by) }),
      agent,
      mode,
      lineOf: this.#lineOf,
    });
    const hooked = withToolHooks(made, this.#plugins, (run, call) => this.#placeOf(run, call, agent));
    return agent === null && host !== null ? [...hooked, host.asking] : hooked;
  }

  #placeOf(run: string, call: string, agent: string | null): ReturnType<PlaceOf> {
    const place = this.#places.get(run);
    if (place !== undefined) return { task: place.task, stage: place.stage, agent };
    const parent = this.#journal.rowOf(run)?.parent ?? null;
    const stage = parent === null ? stageOfCall(call) : stageOf(run.slice(parent.length + 1));
    return { task: parent ?? run, stage, agent };
  }

  #tokensOf(run: string): number {
    const loaded = loadRun(this.#journal, this.#runs.get(run) ?? run);
    return loaded.ok ? loaded.state.spent.tokens : 0;
  }

  async #agentRun(at: StageAt, flow: FlowState): Promise<AgentRequest> {
    const { parts, record } = this.#knownOf(at.run);
    const agent = parts.agents.find(({ id }) => id === at.stage.agent);
    if (agent === undefined) {
      const message = `agents.yaml has no agent ${at.stage.agent}.`;
      return { ok: false, failure: { category: 'config', code: 'no_such_agent', message } };
    }
    const remembered = await this.#recall(agent, at);
    const items = [...remembered, ...this.#resultsOf(flow)];
    const isOutside = hasOutsideText(this.#journal, flow, record.rerun);
    return agentRequest(at, { agent, manifests: this.#manifests, items, isOutside });
  }

  /** Without its memory an agent still works. */
  async #recall(agent: AgentSpec, { run, stage, input }: StageAt): Promise<readonly ContextItem[]> {
    try {
      const items = await this.#memory.recall(agent, taskText(input), run);
      if (items.length > 0)
        this.#notify({ type: 'memory', run, stage: stage.id, parts: items.length, tokens: tokensOf(items) });
      return items;
    } catch (error) {
      this.#notify({ type: 'problem', run, where: 'memory', error });
      return [];
    }
  }

  #keep(at: StageAt, { output, failure }: Parameters<FlowPorts['afterStage']>[1]): void {
    const agent = this.#knownOf(at.run).parts.agents.find(({ id }) => id === at.stage.agent);
    if (agent === undefined || failure !== null) return;
    const kept = this.#memory.keep(agent, at, { input: taskText(at.input), output: taskText(output) });
    kept.catch((error: unknown) => this.#notify({ type: 'problem', run: at.run, where: 'memory', error }));
    this.#keeping = Promise.allSettled([this.#keeping, kept]);
  }

  /** Resolves when what agents said is in the memory, and closes it. */
  async close(): Promise<void> {
    await this.#keeping;
    this.#memory.close();
  }

  /** The outputs of the stages that are done, in the order in which they ended. */
  #resultsOf({ stages }: FlowState): readonly ContextItem[] {
    return [...stages.values()]
      .filter(({ closed }) => closed?.end === 'done')
      .toSorted((one, other) => one.place - other.place)
      .map(({ id, closed }) => {
        const text = `${id}: ${this.#journal.textOf(closed?.output ?? '') ?? ''}`;
        return { id, source: 'task', text, importance: RESULT_IMPORTANCE };
      });
  }

  #knownOf(task: string): Known {
    const known = this.#known.get(task) ?? this.#knownIn(task);
    this.#known.set(task, known);
    return known;
  }

  #knownIn(task: string): Known {
    const state = this.#stateOf(task);
    const record = this.#recordIn(state);
    const parts = taskParts(this.#manifests, state.opened.flow?.pipeline ?? '', record.overrides);
    return { record, parts, tools: new Map() };
  }

  #recordIn({ opened }: RunState): TaskRecord {
    return JSON.parse(this.#journal.textOf(opened.flow?.task ?? '') ?? 'null') as TaskRecord;
  }

  #stateOf(task: string): RunState {
    const loaded = loadRun(this.#journal, task);
    if (!loaded.ok) throw new EngineError('no_such_task', loaded.message);
    return loaded.state;
  }
}

const isAt = ({ closed, round, attempt }: FlowStage, at: Pick<Place, 'round' | 'attempt'>): boolean =>
  closed === null && round === at.round && attempt === at.attempt;

/** Requests of a task begin with its id, and those of its agents with their runs. */
const isOfTask = (request: string, task: string): boolean => request.startsWith(`${task}/`);

/** Roles whose stages have a run of an agent. */
const ASKING: ReadonlySet<NodeRole> = new Set<NodeRole>(['agent', 'feedback']);

const ENDED: ReadonlyMap<string, 'completed' | 'failed' | 'cancelled'> = new Map([
  ['COMPLETED', 'completed'],
  ['FAILED', 'failed'],
  ['CANCELLED', 'cancelled'],
] as const);
