import { shorten } from '@hamlet/core/shorten';
import { asRawNumber, checkable, coerced, guideOf } from '@hamlet/engine/json';
import { defineTool, isJsonObject, type CallContext, type Tool, type ToolOutcome } from '@hamlet/engine';
import { z } from 'zod';
import type { ServerStates } from '../capabilities/server-states.ts';
import { McpFault, quoted } from './mcp-fault.ts';
import { advised, SLOT_WAIT_MS, type CallLog } from '../hands/hands-tool.ts';
import { HandsError } from '../hands/hands-client.ts';
import { withRefusals } from '../hands/refusals.ts';
import { outcomeOf as toolOutcomeOf } from '../tools/tool-kit.ts';
import { CALL_CONNECT_MS, type McpCall, type McpServer } from './mcp-server.ts';
import { createSafeValidator, SCHEMA_MAX_CHARS, withoutPatterns, type JsonObject } from './safe-validator.ts';
import { mcpToolName, toolNames } from './tool-names.ts';
import { shortSchema, usableSchema, withoutRootChoices } from './usable-schema.ts';

/** Maximum tools of one server. A request shows those that the run needs. */
const TOOLS_MAX = 128;
const DESCRIPTION_MAX_CHARS = 2_000;
/** Extra time for the engine beyond the call's own: a call may wait for a slot of the tier, and for its server to start. */
const SLACK_MS = SLOT_WAIT_MS + CALL_CONNECT_MS + 30_000;
/** Stands for the start of the hands in the log of calls: a call of a server is never resumed, only repeated. */
const BOOT = 'mcp';

export interface ServedTools {
  readonly server: McpServer;
  /** Names of the tools that the agent gets; all of them if null. */
  readonly only: readonly string[] | null;
  /** True if its calls change nothing, so that they may run again. Otherwise the hints of each tool decide. */
  readonly readsOnly: boolean;
  readonly timeoutMs: number;
  /** The API stores and judges the start of a call before it is sent to the server. */
  readonly calls: CallLog;
  /** Takes the broker's refusals of requests by the server since the last call; by default none. */
  readonly refused?: () => readonly string[];
  /** Makes a call on the server of its run, if there is more than one. */
  readonly within?: (context: CallContext, call: (server: McpServer) => Promise<ToolOutcome>) => Promise<ToolOutcome>;
}

export type NoteState = ServerStates['note'];

/** The tools of one server, for people and models. */
export type Listed =
  | { readonly ok: true; readonly tools: readonly Tool[]; readonly leftOut: readonly string[] }
  | { readonly ok: false; readonly fault: McpFault };

/** The tools of one server now. A tool that cannot be used is left out, with the reason. */
export async function listedTools(served: ServedTools): Promise<Listed> {
  let listed: readonly unknown[];
  try {
    listed = await served.server.tools();
  } catch (error) {
    if (!(error instanceof McpFault)) throw error;
    return { ok: false, fault: error };
  }
  const { offered, leftOut } = offeredTools(listed);
  const names = toolNames(
    served.server.name,
    offered.map(({ name }) => name),
  );
  const { only } = served;
  const wanted = offered
    .filter(({ name }) => only === null || only.includes(name) || only.includes(names.get(name) ?? name))
    .toSorted(byName);
  const made = wanted.map((tool) => ({ tool, made: toolOf(served, tool, names.get(tool.name) ?? tool.name) }));
  const usable = made.flatMap(({ made: tool }) => (typeof tool === 'string' ? [] : [tool]));
  const unusable = made.flatMap(({ tool, made: why }) => (typeof why === 'string' ? [`${tool.name} (${why})`] : []));
  const rest = usable.slice(TOOLS_MAX);
  const beyond = rest.length === 0 ? [] : [`${rest.length} more than ${TOOLS_MAX} (name those that are needed)`];
  return { ok: true, tools: usable.slice(0, TOOLS_MAX), leftOut: [...leftOut, ...unusable, ...beyond] };
}

/** The server's order may differ from start to start. */
const byName = (a: OfferedTool, b: OfferedTool): number => (a.name < b.name ? -1 : Number(a.name > b.name));

interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly effect: 'read' | 'idempotent' | 'once';
  readonly input: JsonObject;
  readonly definition: JsonObject;
}

/** The tools in a list of a server. Only those without a name are left out. Pure. */
function offeredTools(listed: readonly unknown[]): {
  readonly offered: readonly OfferedTool[];
  readonly leftOut: readonly string[];
} {
  const offered = new Map<string, OfferedTool>();
  const leftOut: string[] = [];
  for (const each of listed) {
    const tool = offeredTool(each);
    if (tool === null) leftOut.push('a tool without a name');
    // The last page of some lists comes again and again.
    else if (!offered.has(tool.name)) offered.set(tool.name, tool);
  }
  return { offered: [...offered.values()], leftOut };
}

function offeredTool(given: unknown): OfferedTool | null {
  if (!isJsonObject(given) || typeof given['name'] !== 'string' || given['name'] === '') return null;
  const { name, description, inputSchema, outputSchema: _, ...rest } = given;
  const text = typeof description === 'string' ? description : '';
  const definition = { ...rest, name, description: text, inputSchema };
  return {
    name,
    description: text,
    effect: effectOf(given['annotations']),
    input: usableSchema(inputSchema),
    definition,
  };
}

/** By the server's hints, which decide only whether a call with an unknown end may run again. */
function effectOf(annotations: unknown): OfferedTool['effect'] {
  if (!isJsonObject(annotations)) return 'once';
  if (annotations['readOnlyHint'] === true) return 'read';
  return annotations['idempotentHint'] === true ? 'idempotent' : 'once';
}

/** A tool for the engine, or why it cannot be used. */
function toolOf(served: ServedTools, offered: OfferedTool, name: string): Tool | string {
  const { server, readsOnly, timeoutMs, calls } = served;
  const input = inputOf(offered);
  if (typeof input === 'string') return input;
  const effect = readsOnly ? 'read' : offered.effect;
  const repeats = effect !== 'once';
  const own = name === mcpToolName(server.name, offered.name) ? '' : `(${offered.name}) `;
  return defineTool<Record<string, unknown>>({
    name,
    description: shorten(`${own}${offered.description}`.toWellFormed(), DESCRIPTION_MAX_CHARS),
    input,
    effect,
    timeoutMs: timeoutMs + SLACK_MS,
    execute: (args, context) =>
      toolOutcomeOf(async () => {
        const begun = await calls.begin(context, { tool: name, args: context.args, boot: BOOT, repeats });
        if (begun.kind !== 'begun') return begun;
        const { definition } = offered;
        const asked = { tool: offered.name, args, definition, timeoutMs, signal: context.signal };
        const on = (each: McpServer): Promise<ToolOutcome> => perform(each, asked, repeats);
        const outcome = served.within === undefined ? await on(server) : await within(served.within, context, on);
        const end = withRefusals({ outcome, report: {} }, served.refused?.() ?? []);
        return advised(end.outcome, await calls.end(context, end));
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

async function perform(server: McpServer, call: McpCall, repeats: boolean): Promise<ToolOutcome> {
  try {
    const { isError, text, images } = await server.call(call);
    if (isError) return { kind: 'failed', code: 'mcp_tool_failed', text, untrusted: true };
    return { kind: 'ok', text, untrusted: true, ...(images.length > 0 && { images: [...images] }) };
  } catch (error) {
    if (!(error instanceof McpFault)) throw error;
    return outcomeOf(error, repeats);
  }
}

/** After a death or a timeout, a call that changes something may have happened. A fault quotes the server. */
function outcomeOf({ code, message }: McpFault, repeats: boolean): ToolOutcome {
  if (code === 'mcp_unreachable') return { kind: 'unavailable', text: `Nothing was done. ${message}`, untrusted: true };
  const isOpen = code === 'mcp_died' || code === 'mcp_timed_out' || code === 'mcp_broken_answer';
  return isOpen && !repeats
    ? { kind: 'unknown', text: message, untrusted: true }
    : { kind: 'failed', code, text: message, untrusted: true };
}

/** The server's schema as the engine uses it: the model reads it, and arguments are validated against it. */
function inputOf({ input }: OfferedTool): z.ZodType<Record<string, unknown>> | string {
  const plain = withoutPatterns(input);
  const schema = JSON.stringify(plain).length > SCHEMA_MAX_CHARS ? shortSchema(plain) : plain;
  if (JSON.stringify(schema).length > SCHEMA_MAX_CHARS)
    return `its schema is longer than ${SCHEMA_MAX_CHARS} characters`;
  try {
    const check = createSafeValidator().getValidator(schema);
    return z
      .looseObject({})
      .transform((value, context) => {
        const given = check(value);
        if (given.valid) return value;
        const exact = coerced(value, guideOf(schema), { long: asRawNumber });
        const again = check(checkable(exact));
        if (!again.valid) context.addIssue({ code: 'custom', message: again.errorMessage });
        return exact as Record<string, unknown>;
      })
      .meta(withoutRootChoices(schema));
  } catch (error) {
    return `its schema cannot be used: ${quoted(error instanceof Error ? error.message : String(error))}`;
  }
}
