import type { CallOccasion, Policy } from '@hamlet/contract';
import { judgedBy, ruleNames, strictestOf, type Judged } from './judged.ts';

const NAME = /^mcp__([a-z][a-z0-9-]{0,23})__[A-Za-z0-9_-]+$/;

interface McpCall {
  readonly tool: string;
  readonly when: CallOccasion;
}

/** The server in the name of a tool; null for a tool of the village. Pure. */
export function mcpServerOf(tool: string): string | null {
  return NAME.exec(tool)?.[1] ?? null;
}

/**
 * Judges a call of an MCP server's tool. Rules name the tool, its server as `mcp__SERVER`, or the class that the Agent gives the
 * server. Without a class, and without a rule of the village that names tool or server, a person is asked: the server's own words
 * about its tools are no ground for trust. Pure.
 */
export function judgeMcpCall(
  { rules, mcp = {} }: Pick<Policy, 'rules' | 'mcp'>,
  { tool, when }: McpCall,
  server: string,
): Judged {
  const toolClass = Object.hasOwn(mcp, server) ? mcp[server] : undefined;
  if (toolClass === undefined) return { verdict: 'deny', reason: `The agent has no MCP server ${server}` };
  const names: readonly string[] = [tool, `mcp__${server}`, ...(toolClass === null ? [] : [toolClass])];
  const matching = rules.filter((rule) => ruleNames(rule, { names, when }));
  const isNamed = matching.some(({ from }) => from === 'village');
  if (!isNamed && toolClass !== null) return { verdict: 'deny', reason: `No rule of the village allows ${tool}` };
  const unnamed = { verdict: 'ask', reason: `A person decides on calls of the MCP server ${server}` } as const;
  const [first = unnamed, ...others] = [...(isNamed ? [] : [unnamed]), ...matching.map((rule) => judgedBy(rule, tool))];
  return strictestOf(first, others);
}
