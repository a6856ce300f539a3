import { villageTool } from '@hamlet/contract/tools';
import type { CallOccasion, Policy, PolicyRule, Verdict } from '@hamlet/contract';
import { judgeMcpCall, mcpServerOf } from './judge-mcp-call.ts';

export interface JudgedCall {
  readonly tool: string;
  readonly when: CallOccasion;
}

export interface Judged {
  readonly verdict: Verdict;
  /** Sentence for people and for the model. */
  readonly reason: string;
}

/** True if a rule names the tool or its class, and the occasion. */
export function ruleMatches(rule: Pick<PolicyRule, 'tools' | 'when'>, { tool, when }: JudgedCall): boolean {
  if (rule.when !== undefined && rule.when !== when) return false;
  const known = villageTool(tool);
  return known !== undefined && (rule.tools.includes(tool) || rule.tools.includes(known.class));
}

const STRICTNESS: Readonly<Record<Verdict, number>> = {
  allow: 0,
  ask: 1,
  deny: 2,
};

/** The strictest judgement; the first of several that are equal. Pure. */
export function strictestOf(first: Judged, others: readonly Judged[]): Judged {
  return others.reduce((a, b) => (STRICTNESS[b.verdict] > STRICTNESS[a.verdict] ? b : a), first);
}

const WORDS: Readonly<Record<Verdict, string>> = {
  allow: 'The rules allow',
  ask: 'The rules ask a person before',
  deny: 'The rules forbid',
};

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
  if (!matching.some(({ from }) => from === 'village'))
    return { verdict: 'deny', reason: `No rule of the village allows ${call.tool}` };
  const strictest = matching.reduce((a, b) => (STRICTNESS[b.verdict] > STRICTNESS[a.verdict] ? b : a));
  if (tool.asks === true && strictest.verdict === 'allow') return { verdict: 'ask', reason: 'The agent asks a person' };
  const { verdict } = strictest;
  return { verdict, reason: strictest.reason ?? `${WORDS[verdict]} ${call.tool}` };
}
