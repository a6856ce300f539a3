import { z } from 'zod';

/** Rules of a policy name a tool or one of these classes. */
export const TOOL_CLASSES = [
  'read',
  'speak',
  'act',
  'publish',
  'spend',
  'persona',
  'schedule',
  'exec',
  'write_inside',
] as const;
export const ToolClass = z.enum(TOOL_CLASSES);
export type ToolClass = z.infer<typeof ToolClass>;

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
}
