import type { CallOccasion, Policy } from '@hamlet/contract';
import { judgedBy, ruleNames, strictestOf, type Judged } from './judged.ts';

interface McpCall {
  readonly tool: string;
  readonly when: CallOccasion;
}

/** The class that an Agent gives a server: null without one, undefined if the agent has no such server. Pure. */
export function classOfServer(mcp: NonNullable<Policy['mcp']>, server: string): string | null | undefined {
  return Object.hasOwn(mcp, server) ? mcp[server] : undefined;
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
  const toolClass = classOfServer(mcp, server);
  if (toolClass === undefined) return { verdict: 'deny', reason: `The agent has no MCP server ${server}` };
  const names: readonly string[] = [tool, `mcp__${server}`, ...(toolClass === null ? [] : [toolClass])];
  const matching = rules.filter((rule) => ruleNames(rule, { names, when }));
  const isNamed = matching.some(({ from }) => from === 'village');
  if (!isNamed && toolClass !== null) return { verdict: 'deny', reason: `No rule of the village allows ${tool}` };
  const unnamed = { verdict: 'ask', reason: `A person decides on calls of the MCP server ${server}` } as const;
  const [first = unnamed, ...others] = [...(isNamed ? [] : [unnamed]), ...matching.map((rule) => judgedBy(rule, tool))];
  return strictestOf(first, others);
}
