import { HANDS_TOOLS } from '@hamlet/contract/resident';
import { mcpServerOf } from '@hamlet/core/policy';
import { searchTools, TOOL_GROUPS, type NamedTool } from './tool-groups.ts';

/** The rights of a run over tools. */
export interface ToolRules {
  /** The verdict of the run's rules on a plain call; `allow` if only the API judges. */
  readonly verdictOf: (tool: string) => 'allow' | 'ask' | 'deny';
  /** Names of tools that the run's parent gave it. */
  readonly given: readonly string[];
  /** True if the agent's tier has the memory for a browser. */
  readonly canBrowse: boolean;
}

/** A call as the model wrote it. */
export interface WrittenCall {
  readonly name: string;
  readonly arguments: string;
}

export const FIND_TOOLS = 'find_tools';
/** A run with at most this many tools sees all of them. */
const ALL_MAX = 20;
/** A run with at most this many tools of MCP servers sees all of these. */
const MCP_MAX = 12;

/** The tools that every task shows, if it has them. */
const TASK_TOOLS = [
  'shell',
  'wait_for',
  'read_output',
  'read_file',
  'write_file',
  'edit_file',
  'search_files',
  'git',
  'web_fetch',
  'web_search',
  'call_agent',
  'todo',
  'ask_human',
  'deliver',
  'delegate',
  'remember',
  'search_memories',
  'load_skill',
  FIND_TOOLS,
] as const;
/** The tools that an agent without hands has for work in the village. */
const VILLAGE_WORK = [
  'look_around',
  'go_to',
  'say',
  'read_board',
  'post_to_board',
  'reply_on_board',
  'balance',
] as const;

/** Tools that the result of another tool refers to. */
const COMPANIONS: Readonly<Record<string, readonly string[]>> = {
  load_skill: ['read_skill_file'],
  save_script: ['run_script'],
  quote: ['buy'],
  ...Object.fromEntries((TOOL_GROUPS['browser']?.tools ?? []).map((name, _, all) => [name, all])),
};

/** The tools that a run may use at all: its rules do not deny them, and its tier can run them. Pure. */
export function usableTools<T extends NamedTool>(
  tools: readonly T[],
  { verdictOf, canBrowse }: ToolRules,
): readonly T[] {
  return tools.filter(({ name }) => verdictOf(name) !== 'deny' && (canBrowse || !needsBrowser(name)));
}

/**
 * The tools that the next request of a run shows: those of a task, those that its parent gave it, those that it has searched for
 * and those that it has used. All of them if they are few. The same calls give the same tools, so a resumed run has them too. Pure.
 */
export function shownTools<T extends NamedTool>(
  tools: readonly T[],
  calls: readonly WrittenCall[],
  rules: ToolRules,
): readonly T[] {
  const usable = usableTools(tools, rules);
  const others = usable.filter(({ name }) => name !== FIND_TOOLS);
  if (others.length <= ALL_MAX || others.length === usable.length) return others;
  const served = others.filter(({ name }) => mcpServerOf(name) !== null);
  const used = calls.map(({ name }) => name);
  const names = new Set<string>([
    ...TASK_TOOLS,
    ...(others.some(({ name }) => Object.hasOwn(HANDS_TOOLS, name)) ? [] : VILLAGE_WORK),
    ...(served.length <= MCP_MAX ? served.map(({ name }) => name) : []),
    ...rules.given,
    ...used,
    ...used.flatMap((name) => COMPANIONS[name] ?? []),
    ...calls.flatMap((call) => foundBy(call, others)),
  ]);
  return usable.filter(({ name }) => names.has(name));
}

const needsBrowser = (tool: string): boolean => TOOL_GROUPS['browser']?.tools.includes(tool) === true;

function foundBy({ name, arguments: text }: WrittenCall, tools: readonly NamedTool[]): readonly string[] {
  if (name !== FIND_TOOLS) return [];
  return searchTools(tools, queryIn(text)).map((tool) => tool.name);
}

/** The query of a call; empty if the model wrote something else. */
function queryIn(text: string): string {
  try {
    const { query } = JSON.parse(text) as { readonly query?: unknown };
    return typeof query === 'string' ? query : '';
  } catch {
    return '';
  }
}
