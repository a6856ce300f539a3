import * as z from 'zod';

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
  'write_outside',
  'network',
  'send',
  'install',
  'delegate',
] as const;
export const ToolClass = z.enum(TOOL_CLASSES);
export type ToolClass = z.infer<typeof ToolClass>;
