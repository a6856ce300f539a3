import { classOf, villageTool } from '@hamlet/contract/tools';
import type { CallOccasion, Policy, PolicyRule } from '@hamlet/contract';
import { judgedBy, ruleNames, strictestOf, type Judged } from './judged.ts';
import { judgeMcpCall, mcpServerOf } from './judge-mcp-call.ts';

export interface JudgedCall {
  readonly tool: string;
  readonly when: CallOccasion;
  /** Arguments of the call, which may put it in another class than its tool; undefined if they are not known. */
  readonly input?: unknown;
}

/** True if a rule names the tool or the class of the call, and the occasion. */
export function ruleMatches(rule: Pick<PolicyRule, 'tools' | 'when'>, { tool, when, input }: JudgedCall): boolean {
  const known = villageTool(tool);
  if (known === undefined) return false;
  const ofCall = input === undefined ? known.class : classOf(known, input);
  return ruleNames(rule, { names: [tool, ofCall], when });
}

/**
 * Judges a call: deny overrides ask, ask overrides allow. A tool that is unknown, or that no rule of the village names,
 * is denied; rules of tier and Agent only narrow. Pure; the same for API and resident.
 */
export function judgeCall(policy: Pick<Policy, 'rules' | 'mcp'>, call: JudgedCall): Judged {
  const server = mcpServerOf(call.tool);
  if (server !== null) return judgeMcpCall(policy, call, server);
  const tool = villageTool(call.tool);
  if (tool === undefined) return { verdict: 'deny', reason: `There is no tool ${call.tool.slice(0, 64)}` };
  const matching = policy.rules.filter((rule) => ruleMatches(rule, call));
  const [first, ...others] = matching.map((rule) => judgedBy(rule, call.tool));
  if (first === undefined || !matching.some(({ from }) => from === 'village'))
    return { verdict: 'deny', reason: `No rule of the village allows ${call.tool}` };
  const strictest = strictestOf(first, others);
  if (tool.asks === true && strictest.verdict === 'allow') return { verdict: 'ask', reason: 'The agent asks a person' };
  return strictest;
}
