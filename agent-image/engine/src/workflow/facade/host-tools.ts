import type { Tool } from '../../effects/tool.ts';
import type { StageAt } from '../../flow/flow-ports.ts';
import type { RunState } from '../../state/run-state.ts';
import type { AgentSpec } from '../manifest/schemas.ts';
import type { Plan } from '../plan/plan.ts';
import type { ManifestTool } from '../tools/tools-of.ts';
import type { Workspace } from '../tools/workspace.ts';

/** A stage whose agent is asked. `text`: its input as the agent reads it. `task`: the run so far. */
export type AskedAgent = Readonly<{ at: StageAt; agent: AgentSpec; plan: Plan; text: string; task: RunState }>;

/** Why the host lacks the tool that a manifest names, and the fix. */
export type MissingTool = Readonly<{ missing: string; hint: string }>;

/** The tools of a host, in place of handlers and a folder. */
export type HostTools = Readonly<{
  /** The tool behind a tool of the manifests, always the same one. Its arguments fit the manifest. */
  toolFor: (tool: ManifestTool) => Tool | MissingTool;
  /** The tool whose calls ask agents. The text of a result is the answer as JSON. No manifest has a tool of its name. */
  asking: Tool;
  /** The arguments of such a call: the same for the same stage and run. Pure. */
  argumentsOf: (asked: AskedAgent) => Readonly<Record<string, unknown>>;
}>;

/** The stage to which a run of a host is assigned. */
export type Place = Readonly<{ task: string; stage: string; round: number; attempt: number }>;

/** Null if tools work in a folder. */
export const hosted = (by: Workspace | HostTools): HostTools | null => ('asking' in by ? by : null);

/** Finds the tools of a host. `WorkflowHost.open` has checked that it has all of them. */
export const toolIn =
  ({ toolFor }: HostTools) =>
  (spec: ManifestTool): Tool => {
    const tool = toolFor(spec);
    if ('missing' in tool) throw new Error(`${spec.id}: ${tool.missing}`);
    return tool;
  };
