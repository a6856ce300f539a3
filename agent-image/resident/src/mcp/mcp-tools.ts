import { defineTool, type CallContext, type Tool, type ToolOutcome } from '@hamlet/engine';
import { z } from 'zod';
import type { ServerStates } from '../capabilities/server-states.ts';
import type { Log } from '../process/json-log.ts';
import { McpFault } from './mcp-fault.ts';
import type { CallLog } from '../hands/hands-tool.ts';
import { HandsError } from '../hands/hands-client.ts';
import { withRefusals } from '../hands/refusals.ts';
import { outcomeOf as toolOutcomeOf } from '../tools/tool-kit.ts';
import type { McpCall, McpServer, OfferedTool } from './mcp-server.ts';
import { createSafeValidator, SCHEMA_MAX_CHARS, withoutPatterns } from './safe-validator.ts';

/** Maximum tools of one server that a model may get. */
const TOOLS_MAX = 64;
const DESCRIPTION_MAX_CHARS = 2_000;
/** Limits of providers: length, and allowed characters. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** Extra time for the engine beyond the call's own: a call may wait two minutes for a slot of the tier. */
const SLACK_MS = 150_000;
/** Stands for the start of the hands in the log of calls: a call of a server is never resumed, only repeated. */
const BOOT = 'mcp';

export interface ServedTools {
  readonly server: McpServer;
  /** Names of the tools that the agent gets; all of them if null. */
  readonly only: readonly string[] | null;
  /** True if its calls change nothing, so that they may run again. */
  readonly readsOnly: boolean;
  readonly timeoutMs: number;
  /** The API stores and judges the start of a call before it is sent to the server. */
  readonly calls: CallLog;
  /** Takes the broker's refusals to the server since the last take; default none. */
  readonly refused?: () => readonly string[];
  /** Makes a call on the server of its run, if there is more than one. */
  readonly within?: (context: CallContext, call: (server: McpServer) => Promise<ToolOutcome>) => Promise<ToolOutcome>;
}

export const mcpToolName = (server: string, tool: string): string => `mcp__${server}__${tool}`;

export type NoteState = ServerStates['note'];

/** The tools of all servers. A server that does not answer has none until the resident restarts; the log states the reason. */
export async function mcpTools(
  served: readonly ServedTools[],
  log: Pick<Log, 'warn'>,
  noteState: NoteState = () => {},
): Promise<readonly Tool[]> {
  const lists = await Promise.all(served.map((each) => toolsOf(each, log, noteState)));
  return lists.flat();
}

async function toolsOf(served: ServedTools, log: Pick<Log, 'warn'>, noteState: NoteState): Promise<readonly Tool[]> {
  const { server, only } = served;
  const warn = (code: string, message: string): void => log.warn('capability', { code, message });
  try {
    const offered = await server.tools();
    const wanted = offered.filter(({ name }) => only === null || only.includes(name)).toSorted(byName);
    if (wanted.length > TOOLS_MAX)
      warn(
        'mcp_too_many_tools',
        `The MCP server ${server.name} offers ${wanted.length} tools: name at most ${TOOLS_MAX}`,
      );
    const tools = wanted.slice(0, TOOLS_MAX).flatMap((tool) => {
      const made = toolOf(served, tool);
      if (typeof made !== 'string') return [made];
      warn('mcp_tool_left_out', `The MCP server ${server.name} has an unusable tool, which is skipped: ${made}`);
      return [];
    });
    noteState(server.name, { ok: true, tools: tools.length });
    return tools;
  } catch (error) {
    if (!(error instanceof McpFault)) throw error;
    warn(error.code, error.message);
    noteState(server.name, { ok: false, code: error.code, message: error.message });
    return [];
  }
}

/** The server's order may differ from start to start. */
const byName = (a: OfferedTool, b: OfferedTool): number => (a.name < b.name ? -1 : Number(a.name > b.name));

function toolOf(served: ServedTools, offered: OfferedTool): Tool | string {
  const { server, readsOnly, timeoutMs, calls } = served;
  const name = mcpToolName(server.name, offered.name);
  if (!NAME.test(name)) return `its name must have at most 64 letters, digits, '_' and '-': ${name.slice(0, 100)}`;
  const input = inputOf(offered);
  if (typeof input === 'string') return `${offered.name}: ${input}`;
  return defineTool<Record<string, unknown>>({
    name,
    description: offered.description.slice(0, DESCRIPTION_MAX_CHARS),
    input,
    effect: readsOnly ? 'read' : 'once',
    timeoutMs: timeoutMs + SLACK_MS,
    execute: (args, context) =>
      toolOutcomeOf(async () => {
        const call = { tool: name, args: context.args, boot: BOOT, repeats: readsOnly };
        const begun = await calls.begin(context, call);
        if (begun.kind !== 'begun') return begun;
        const asked = { tool: offered.name, args, timeoutMs, signal: context.signal };
        const on = (each: McpServer): Promise<ToolOutcome> => perform(each, asked, served);
        const outcome = served.within === undefined ? await on(server) : await within(served.within, context, on);
        const end = withRefusals({ outcome, report: {} }, served.refused?.() ?? []);
        await calls.end(context, end);
        return end.outcome;
      }),
  });
}

/** Converts lost or refusing hands into the same result as a server fault. */
async function within(
  around: NonNullable<ServedTools['within']>,
  context: CallContext,
  on: (server: McpServer) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  try {
    return await around(context, on);
  } catch (error) {
    if (!(error instanceof HandsError)) throw error;
    return { kind: 'unknown', text: error.message };
  }
}

async function perform(server: McpServer, call: McpCall, served: Pick<ServedTools, 'readsOnly'>): Promise<ToolOutcome> {
  try {
    const { isError, text } = await server.call(call);
    return isError ? { kind: 'failed', code: 'mcp_tool_failed', text } : { kind: 'ok', text };
  } catch (error) {
    if (!(error instanceof McpFault)) throw error;
    return outcomeOf(error, served);
  }
}

/** After a death or a timeout, a call that changes something may have happened. */
function outcomeOf({ code, message }: McpFault, { readsOnly }: Pick<ServedTools, 'readsOnly'>): ToolOutcome {
  if (code === 'mcp_unreachable') return { kind: 'unavailable', text: message };
  const isOpen = code === 'mcp_died' || code === 'mcp_timed_out' || code === 'mcp_broken_answer';
  return isOpen && !readsOnly ? { kind: 'unknown', text: message } : { kind: 'failed', code, text: message };
}

/** The server's schema as the engine uses it: the model reads it, and arguments are validated against it. */
function inputOf({ input }: OfferedTool): z.ZodType<Record<string, unknown>> | string {
  if (JSON.stringify(input).length > SCHEMA_MAX_CHARS)
    return `its schema is longer than ${SCHEMA_MAX_CHARS} characters`;
  try {
    const schema = withoutPatterns(input);
    const check = createSafeValidator().getValidator(schema);
    return z
      .looseObject({})
      .superRefine((value, context) => {
        const { valid, errorMessage } = check(value);
        if (!valid) context.addIssue({ code: 'custom', message: errorMessage });
      })
      .meta(schema);
  } catch (error) {
    return `its schema cannot be used: ${error instanceof Error ? error.message : String(error)}`;
  }
}
