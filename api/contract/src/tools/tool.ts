import type { z } from 'zod';
import type { ToolClass } from '../kinds/tool-classes.ts';

export { TOOL_CLASSES, ToolClass } from '../kinds/tool-classes.ts';

/**
 * `keyed` calls have one effect for all attempts with the same call id; `idempotent` and `read` calls may run again.
 * After an interrupted `verify` call, the tool checks whether it had an effect.
 */
export type VillageToolEffect = 'read' | 'idempotent' | 'keyed' | 'verify';

export interface VillageTool {
  readonly class: ToolClass;
  readonly effect: VillageToolEffect;
  /**
   * `pod`: the resident runs it with the agent's token. `village`: the API runs it in performCall. `hands`: it runs in the container
   * of the agent's tools, after the API has stored its start.
   */
  readonly runs: 'pod' | 'village' | 'hands';
  readonly description: string;
  readonly input: z.ZodObject;
  /** True if the call asks a person a question: no rule can replace the answer. */
  readonly asks?: true;
  /**
   * `outside`: its result can contain text of strangers that does not pass the broker, which taints the run. Such a tool runs in the
   * village, where the API sees each start. Requests of tools of the hands taint the run when the broker lets them out.
   */
  readonly brings?: 'outside';
  /**
   * True if only readers of the run's texts see its result. A tainted run may call it without asking, and its result is marked as tainted.
   */
  readonly forReaders?: true;
  /** True if a call with these arguments sends something out of the village; it then has the class `send`. Pure. */
  readonly sends?: (input: unknown) => boolean;
  /** Minimum memory of the tier, as a Kubernetes quantity. */
  readonly memory?: '2Gi';
  /** The tier's rate that limits its calls per hour. */
  readonly rate?: ToolRate;
  /** True if the call starts a worker, which is a separate run. */
  readonly begins?: true;
  /** True if the engine of a workflow calls it. No model is offered it. */
  readonly ofEngine?: true;
  /** True if a person must decide on each single call: neither a rule nor an earlier decision allows it. */
  readonly decided?: true;
  /** True if it runs code that an agent wrote. Such a tool runs only in the hands. */
  readonly custom?: true;
}

/** The hourly limits of a tier for calls of tools. */
export type ToolRate = 'web_search' | 'web_request' | 'browser';

/**
 * `platform`: code of the village. `sandbox`: code of the village in the hands. `custom`: code of others (an MCP
 * server, a script of an agent), only in the hands.
 */
export type ToolPlace = 'platform' | 'sandbox' | 'custom';

/** Where the code of a tool runs, by the table of tools; a tool outside the table is `custom`. Pure. */
export function placeOf(tool: Pick<VillageTool, 'runs' | 'custom'> | undefined): ToolPlace {
  if (tool === undefined || tool.custom === true) return 'custom';
  return tool.runs === 'hands' ? 'sandbox' : 'platform';
}

export function classOf(tool: Pick<VillageTool, 'class' | 'sends'>, input: unknown): ToolClass {
  return tool.sends?.(input) === true ? 'send' : tool.class;
}
