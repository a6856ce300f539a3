import { mkdirSync } from 'node:fs';
import type { Engine, PolicyPort, Tool } from '@hamlet/engine';
import { WorkflowHost } from '@hamlet/engine/workflow/host';
import type { EngineHost } from '../engine/engine-host.ts';
import type { BookedWorkflow } from '../engine/booked-workflow.ts';
import { ManifestTools } from './manifest-tools.ts';
import { runStage, type StageKit } from './run-stage.ts';
import { stageArguments } from './stage-arguments.ts';

export interface TaskPorts extends Omit<StageKit, 'mirrored'> {
  readonly engineHost: () => Promise<EngineHost>;
  /** The folder of the telemetry of the agent's workflows. */
  readonly folder: string;
  /** The absolute path of the workspace in the hands. */
  readonly workspace: string;
}

/** A task at work. Its engine works on the workers of its stages too. */
export interface OpenTask {
  readonly host: WorkflowHost;
  readonly engine: Engine;
  /** Names of the tools among these whose calls wait for a person, for the prompt of a worker. */
  readonly askingOf: (run: string, tools: readonly Tool[]) => readonly string[];
  /** Workers of stages at work, by their runs. Each promise settles when the engine stops work on the worker. */
  readonly workers: Map<string, Promise<unknown>>;
  /** Aborts when the task has ended and cancels the workers that are left. */
  readonly ended: AbortController;
}

/** Opens an engine for a task. Throws an `EngineError` if its manifests have faults. */
export async function openTask(ports: TaskPorts, workflow: BookedWorkflow): Promise<OpenTask> {
  const village = await ports.engineHost();
  const tools = new ManifestTools({ tools: () => village.tools, workspace: ports.workspace });
  mkdirSync(ports.folder, { recursive: true });
  const kit: StageKit = { ...ports, mirrored: (run, signal) => village.mirror.flush(run, signal) };
  const host = WorkflowHost.open({
    files: workflow.files,
    journal: village.own.journal,
    data: ports.folder,
    tools: {
      toolFor: (spec) => tools.toolFor(spec),
      asking: runStage(kit, village.engine),
      argumentsOf: (asked) => stageArguments(asked, tools.namesOf(asked.agent.tools)),
    },
  });
  const { own } = village;
  const translate: Translate = (call) => ({ ...call, ...tools.translate(call) });
  const judge = strictest({ village: own.policy, manifests: host.ports.policy, translate });
  const engine = village.engineWith({
    ...host.ports,
    model: own.model,
    tools: [],
    compaction: own.compaction,
    policy: { judge },
    approvals: { ask: (question) => own.approvals.ask(translate(question)) },
    limitsOf: (run, given) => host.limitsOf(run, given),
  });
  const asks = (run: string, { name: tool, effect }: Tool): boolean =>
    judge({ run, conversation: run, call: '', tool, effect, arguments: '{}', argumentsRef: '' }).verdict === 'ask';
  return {
    host,
    engine,
    askingOf: (run, each) => each.filter((tool) => asks(run, tool)).map(({ name }) => name),
    workers: new Map(),
    ended: new AbortController(),
  };
}

/** A call with the name and the arguments of the agent's own tool. */
type Translate = <C extends Parameters<ManifestTools['translate']>[0]>(call: C) => C;
type Policies = Readonly<{ village: PolicyPort; manifests: PolicyPort; translate: Translate }>;

/** A call needs the permission of both. */
const strictest =
  ({ village, manifests, translate }: Policies): PolicyPort['judge'] =>
  (call) => {
    const outer = village.judge(translate(call));
    if (outer.verdict !== 'allow') return outer;
    return manifests.judge(call);
  };
