import { classOf, villageTool } from '@hamlet/contract/tools';
import type { CallOccasion, Policy, PolicyRule, TaintMark } from '@hamlet/contract';
import { judgedBy, ruleNames, strictestOf, type Judged } from './judged.ts';
import { mcpServerOf } from './mcp-names.ts';
import { askIfTainted } from './taint.ts';

export { mcpServerOf };

/** The class that an Agent gives a server: null for none, undefined if the agent has no such server. Pure. */
function classOfServer(mcp: NonNullable<Policy['mcp']>, server: string): string | null | undefined {
  return Object.hasOwn(mcp, server) ? mcp[server] : undefined;
}

/**
 * Judges a call of an MCP server's tool. Rules name the tool, its server as `mcp__SERVER`, or the class that the Agent
 * gives the server. A person decides if there is no class and no rule of the village for tool or server, because a
 * server's own claims about its tools are untrusted. Pure.
 */
function judgeMcpCall(
  { rules, mcp = {} }: Pick<Policy, 'rules' | 'mcp'>,
  { tool, when }: Readonly<{ tool: string; when: CallOccasion }>,
  server: string,
): Judged {
  const toolClass = classOfServer(mcp, server);
  if (toolClass === undefined) return { verdict: 'deny', reason: `The agent has no MCP server ${server}` };
  const names: readonly string[] = [tool, `mcp__${server}`, ...(toolClass === null ? [] : [toolClass])];
  const matching = rules.filter((rule) => ruleNames(rule, { names, when }));
  const isNamed = matching.some(({ from }) => from === 'village');
  if (!isNamed && toolClass !== null) return { verdict: 'deny', reason: `No rule of the village allows ${tool}` };
  const unnamed = { verdict: 'ask', reason: `A person decides about calls of the MCP server ${server}` } as const;
  const [first = unnamed, ...others] = [...(isNamed ? [] : [unnamed]), ...matching.map((rule) => judgedBy(rule, tool))];
  return strictestOf(first, others);
}

export interface JudgedCall {
  readonly tool: string;
  readonly when: CallOccasion;
  /** Arguments of the call, which may change its class; undefined if unknown. */
  readonly input?: unknown;
  /** Stored class of the call, if its arguments are no longer known. */
  readonly knownClass?: string | null | undefined;
  /** Text from outside that has reached the run of the call; none by default. */
  readonly taint?: readonly TaintMark[] | null | undefined;
}

/** True if a rule names the tool or the class of the call, and the occasion. */
export function ruleMatches(
  rule: Pick<PolicyRule, 'tools' | 'when'>,
  { tool, when, input, knownClass }: Pick<JudgedCall, 'tool' | 'when' | 'input' | 'knownClass'>,
): boolean {
  const ofCall = classOfCall({ tool, input, knownClass });
  return ofCall !== null && ruleNames(rule, { names: [tool, ofCall], when });
}

/** The class of a village tool's call, by its arguments; null for any other tool. Pure. */
export function classOfCall({
  tool,
  input,
  knownClass,
}: Pick<JudgedCall, 'tool' | 'input' | 'knownClass'>): string | null {
  const known = villageTool(tool);
  if (known === undefined) return null;
  return knownClass ?? (input === undefined ? known.class : classOf(known, input));
}

/**
 * Judges a call by its tool: deny overrides ask, ask overrides allow. A tool is denied if it is unknown or no rule of
 * the village names it; rules of tier, Agent and parent only restrict. A tainted run asks a person about classes
 * through which text from outside could act. Pure; shared by API and resident.
 */
export function judgeCall(policy: Pick<Policy, 'rules' | 'mcp'>, call: JudgedCall): Judged {
  const server = mcpServerOf(call.tool);
  const judged = server === null ? judgeByRules(policy, call) : judgeMcpCall(policy, call, server);
  const needed = neededClass(policy, call, server);
  if (needed === null) return judged;
  const { when, taint } = call;
  const asked = askIfTainted(policy, { when, classes: [needed], taint: taint ?? [], ofServer: server !== null });
  return asked === null ? judged : strictestOf(judged, [asked]);
}

/**
 * The class of a call for a tainted run, with the names by which a rule may refer to it; null for a tool or server that
 * is unknown or has no class, and for a tool whose result only the readers of the run see.
 */
function neededClass(
  { mcp = {} }: Pick<Policy, 'mcp'>,
  call: JudgedCall,
  server: string | null,
): { readonly name: string; readonly aliases: readonly string[] } | null {
  const { tool } = call;
  if (villageTool(tool)?.forReaders === true) return null;
  const name = server === null ? classOfCall(call) : classOfServer(mcp, server);
  if (name === undefined || name === null) return null;
  return { name, aliases: server === null ? [tool] : [tool, `mcp__${server}`] };
}

function judgeByRules(policy: Pick<Policy, 'rules'>, call: JudgedCall): Judged {
  const tool = villageTool(call.tool);
  if (tool === undefined) return { verdict: 'deny', reason: `There is no tool ${call.tool.slice(0, 64)}` };
  const matching = policy.rules.filter((rule) => ruleMatches(rule, call));
  const [first, ...others] = matching.map((rule) => judgedBy(rule, call.tool));
  if (first === undefined || !matching.some(({ from }) => from === 'village'))
    return { verdict: 'deny', reason: `No rule of the village allows ${call.tool}` };
  const strictest = strictestOf(first, others);
  if (tool.decided === true && strictest.verdict === 'allow')
    return { verdict: 'ask', reason: `A person decides about each call of ${call.tool}` };
  if (tool.asks === true && strictest.verdict === 'allow') return { verdict: 'ask', reason: 'The agent asks a person' };
  return strictest;
}
