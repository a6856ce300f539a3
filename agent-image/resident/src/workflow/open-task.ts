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

/** A task at work, with the engine that works on it and on the workers of its stages. */
export interface OpenTask {
  readonly host: WorkflowHost;
  readonly engine: Engine;
  readonly toolsOf: (run: string) => readonly Tool[];
  /** The names among these tools whose calls wait for a person, for the prompt of a worker. */
  readonly askingOf: (run: string, tools: readonly Tool[]) => readonly string[];
  /** Workers of stages at work, by their runs. Each entry resolves when the engine has left the worker. */
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
  const judge = strictest({ village: own.policy, manifests: host.ports.policy, seen: (call) => tools.seen(call) });
  const engine = village.engineWith({
    ...host.ports,
    model: own.model,
    tools: [],
    compaction: own.compaction,
    policy: { judge },
    approvals: { ask: (question) => own.approvals.ask(asSeen(question, (call) => tools.seen(call))) },
    limitsOf: (run, given) => host.limitsOf(run, given),
  });
  const asks = (run: string, { name: tool, effect }: Tool): boolean =>
    judge({ run, conversation: run, call: '', tool, effect, arguments: '{}', argumentsRef: '' }).verdict === 'ask';
  return {
    host,
    engine,
    toolsOf: host.ports.toolsOf,
    askingOf: (run, each) => each.filter((tool) => asks(run, tool)).map(({ name }) => name),
    workers: new Map(),
    ended: new AbortController(),
  };
}

type Seen = ManifestTools['seen'];
type Policies = Readonly<{ village: PolicyPort; manifests: PolicyPort; seen: Seen }>;

const asSeen = <C extends Parameters<Seen>[0]>(call: C, seen: Seen): C => ({ ...call, ...seen(call) });

/** A call needs the permission of both. */
const strictest =
  ({ village, manifests, seen }: Policies): PolicyPort['judge'] =>
  (call) => {
    const outer = village.judge(asSeen(call, seen));
    if (outer.verdict !== 'allow') return outer;
    return manifests.judge(call);
  };
