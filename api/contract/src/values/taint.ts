import { z } from 'zod';
import { Time } from './scalars.ts';

/**
 * Ways by which text from outside reaches a run. `tool`: a tool whose results strangers can write. `mcp`: an MCP server. `shell`: a command
 * that uses the network, in runs from before the broker's record alone decided. `egress`: the broker let a program of the pod out. `supply`: it let one
 * out to the agent's own repository or to a registry that the village opened, which an admin chose. `memory`: a memory of a tainted run, or an entry of another agent
 * in the memory of a repository. `parent`, `worker`: the run that delegated this one, or one that it delegated. `conversation`: an earlier
 * answer in the same session. `script`: a script that a tainted run saved, or that another agent wrote.
 */
export const TAINT_SOURCES = [
  'tool',
  'mcp',
  'shell',
  'egress',
  'supply',
  'memory',
  'parent',
  'worker',
  'conversation',
  'script',
] as const;
export const TaintSource = z.enum(TAINT_SOURCES);
export type TaintSource = z.infer<typeof TaintSource>;

export const TAINT_DETAIL_MAX_CHARS = 300;

/** The first text of a source that reached the run. A mark is never removed. */
export const TaintMark = z.strictObject({
  source: TaintSource,
  detail: z
    .string()
    .max(TAINT_DETAIL_MAX_CHARS)
    .describe('Tool, server, host, memory or program that brought the text'),
  call_id: z.string().nullable().describe('Call of the run that brought it, if any'),
  run_id: z.uuid().nullable().describe('The run that it came from: parent, worker, or an earlier run of the session'),
  at: Time,
});
export type TaintMark = z.infer<typeof TaintMark>;
