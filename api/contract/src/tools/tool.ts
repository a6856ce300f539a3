import type { z } from 'zod';
import type { ToolClass } from '../kinds/tool-classes.ts';

export { TOOL_CLASSES, ToolClass } from '../kinds/tool-classes.ts';

/**
 * `keyed` calls have one effect for all attempts with the same call id; `idempotent` and `read` calls may run again. The tool finds
 * out about a `verify` call that was cut off.
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
  /** True if the call is a question to a person: no rule can allow it without an answer. */
  readonly asks?: true;
  /**
   * `outside`: its result can hold text that strangers wrote, as a web page, a search result or a download. The run of the call is then
   * tainted. Such a tool runs in the hands or the village: the API sees the start of these calls.
   */
  readonly brings?: 'outside';
  /**
   * True if its result goes to the readers of the run's words alone, as the answer of the run does: a tainted run calls it without a
   * question, and what it made carries the mark.
   */
  readonly forReaders?: true;
  /** True if a call with these arguments sends something outside of the village. It is then of the class `send`. Pure. */
  readonly sends?: (input: unknown) => boolean;
  /** Memory that the tier must have, as Kubernetes writes it. */
  readonly memory?: '2Gi';
  /** The rate of the tier by which its calls in an hour are limited. */
  readonly rate?: ToolRate;
  /** True if the call begins a worker, which is a run of its own. */
  readonly begins?: true;
  /** True if a person decides on each call: no rule allows it, and no word of a person holds for later ones. */
  readonly decided?: true;
  /** True if it runs code that an agent wrote. Such a tool runs in the hands alone. */
  readonly custom?: true;
}

/** Rates of a tier: searches of the web, and calls of the browser. */
export type ToolRate = 'web_search' | 'browser';

/**
 * `platform`: code of the village. `sandbox`: code of the village in the hands. `custom`: code of others (an MCP server, a script of an
 * agent), which runs in the hands alone.
 */
export type ToolPlace = 'platform' | 'sandbox' | 'custom';

/** The place in which the code of a tool runs, by its line of the contract's table; a tool that is in none is of others. Pure. */
export function placeOf(tool: Pick<VillageTool, 'runs' | 'custom'> | undefined): ToolPlace {
  if (tool === undefined || tool.custom === true) return 'custom';
  return tool.runs === 'hands' ? 'sandbox' : 'platform';
}

export function classOf(tool: Pick<VillageTool, 'class' | 'sends'>, input: unknown): ToolClass {
  return tool.sends?.(input) === true ? 'send' : tool.class;
}
