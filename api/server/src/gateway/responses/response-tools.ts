import { LEFT_OUT_TOOLS } from '@hamlet/contract';
import type { ChatTool, NamedTool, ResponseBody, ResponseCallable, ResponseToolChoice } from '@hamlet/contract';

/** Providers accept no longer names of functions. */
const NAME_MAX_CHARS = 64;

interface ToolName {
  readonly name: string;
  readonly namespace?: string | null | undefined;
}

/** A tool of the caller, and the name under which the model knows it: models know no namespaces. */
export interface CallableTool {
  readonly flat: string;
  readonly namespace: string | null;
  readonly tool: ResponseCallable;
}

function joined({ name, namespace }: ToolName): string {
  const prefix = namespace === null || namespace === undefined ? '' : namespace.replace(/_*$/, '__');
  return `${prefix}${name}`.replaceAll(/[^A-Za-z0-9_-]/g, '_');
}

function flatName(tool: ToolName, at: number): string {
  const whole = joined(tool);
  return whole.length <= NAME_MAX_CHARS ? whole : `${whole.slice(0, NAME_MAX_CHARS - 6)}_${at}`;
}

/** The tools that the caller runs. Pure. */
export function callableTools({ tools }: Pick<ResponseBody, 'tools'>): readonly CallableTool[] {
  const all = (tools ?? []).flatMap((tool): readonly Omit<CallableTool, 'flat'>[] => {
    if (tool.type === 'namespace') return tool.tools.map((each) => ({ tool: each, namespace: tool.name }));
    return tool.type === 'function' || tool.type === 'custom' ? [{ tool, namespace: null }] : [];
  });
  return all.map(({ tool, namespace }, at) => ({
    tool,
    namespace,
    flat: flatName({ name: tool.name, namespace }, at),
  }));
}

const LEFT_OUT: ReadonlySet<string> = new Set(LEFT_OUT_TOOLS);

export function leavesToolsOut({ tools }: Pick<ResponseBody, 'tools'>): boolean {
  return (tools ?? []).some(({ type }) => LEFT_OUT.has(type));
}

/** Gives the model's name of a tool that a call in the history or a choice names. */
export type FlatNames = (tool: ToolName) => string;

export function flatNames(known: readonly CallableTool[]): FlatNames {
  const flats = new Map(known.map(({ tool, namespace, flat }) => [JSON.stringify([namespace, tool.name]), flat]));
  return ({ name, namespace }) =>
    flats.get(JSON.stringify([namespace ?? null, name])) ?? joined({ name, namespace }).slice(0, NAME_MAX_CHARS);
}

export function chatTool({ flat, tool }: CallableTool): ChatTool {
  const { description } = tool;
  if (tool.type === 'custom') return { type: 'custom', custom: { name: flat, description, format: tool.format } };
  return { type: 'function', function: { name: flat, description, parameters: tool.parameters, strict: tool.strict } };
}

export function chatChoice(
  choice: ResponseToolChoice,
  flatOf: FlatNames,
):
  | 'none'
  | 'auto'
  | 'required'
  | NamedTool
  | { type: 'allowed_tools'; allowed_tools: { mode: 'auto' | 'required'; tools: NamedTool[] } } {
  const named = (tool: ToolName): NamedTool => ({ type: 'function', function: { name: flatOf(tool) } });
  if (typeof choice === 'string') return choice;
  if (choice.type !== 'allowed_tools') return named(choice);
  return { type: 'allowed_tools', allowed_tools: { mode: choice.mode, tools: choice.tools.map(named) } };
}
