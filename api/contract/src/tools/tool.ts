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
  /** Description for the model. */
  readonly description: string;
  readonly input: z.ZodObject;
  /** True if the call is a question to a person: no rule can allow it without an answer. */
  readonly asks?: true;
  /**
   * `outside`: its result can hold text that strangers wrote, as a web page, a search result or a download. The run of the call is then
   * tainted. Such a tool runs in the hands or the village: the API sees the start of these calls.
   */
  readonly brings?: 'outside';
  /** True if the call begins a worker, which is a run of its own. */
  readonly begins?: true;
}
