import { judgeCall, mcpServerOf } from '@hamlet/core/policy';
import type { Policy } from '@hamlet/contract';
import type { Tool } from '@hamlet/engine';
import { groupsOf } from './find-tools.ts';
import { shownTools, usableTools, type ToolRules } from './shown-tools.ts';

export interface LimitedRun {
  /** Null if only the API judges calls. */
  readonly policy: Pick<Policy, 'rules'> | null;
  /** Names of tools that its parent gave a worker. */
  readonly given?: readonly string[];
  /** False if the agent's tier lacks the memory for a browser. */
  readonly canBrowse?: boolean;
}

type Ruled = LimitedRun | undefined;

/** The tools of a run, as its prompt describes them. */
export interface RunTools {
  /** Names of the tools that its first request shows. */
  readonly shown: readonly string[];
  /** Groups of further tools, which find_tools finds. */
  readonly more: readonly string[];
  /** Names of shown tools whose calls wait for a person, and of MCP servers with such tools. */
  readonly asking: readonly string[];
  /** True if a person decides on what leaves the village. */
  readonly asksToSend: boolean;
}

/** The rights of a run by its rules and its tier; everything if this process does not know the run. Pure. */
export function toolRulesOf(run: Ruled): ToolRules {
  const { policy = null, given = [], canBrowse = true } = run ?? {};
  const verdictOf: ToolRules['verdictOf'] = (tool) =>
    policy === null ? 'allow' : judgeCall(policy, { tool, when: 'run' }).verdict;
  return { verdictOf, given, canBrowse };
}

/** The tool whose every call is a question: it needs no further permission. */
const QUESTION = 'ask_human';

/** The tools of a run as its prompt describes them, before its first call. Pure. */
export function runToolsOf(tools: readonly Tool[], run: Ruled): RunTools {
  const rules = toolRulesOf(run);
  const shown = shownTools(tools, [], rules).map(({ name }) => name);
  const others = usableTools(tools, rules).filter(({ name }) => !shown.includes(name));
  return {
    shown,
    more: groupsOf(others).map(({ group }) => group),
    asking: [...new Set(shown.filter((name) => name !== QUESTION && rules.verdictOf(name) === 'ask').map(inShort))],
    asksToSend: asksToSend(run),
  };
}

/** Names an MCP server once for all of its tools. */
function inShort(tool: string): string {
  const server = mcpServerOf(tool);
  return server === null ? tool : `tools of ${server}`;
}

function asksToSend(run: Ruled): boolean {
  const policy = run?.policy ?? null;
  return policy !== null && judgeCall(policy, { tool: 'http', when: 'run', knownClass: 'send' }).verdict === 'ask';
}
