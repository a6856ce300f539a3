import type { CallOccasion, Policy } from '@hamlet/contract';
import { judgeCall } from './judge-call.ts';
import { judgedBy, ruleNames, strictestOf, type Judged } from './judged.ts';

/** Classes that only a shell command can need. Rules may name them beside the classes of tools. */
export const SHELL_CLASSES = ['write_outside', 'install'] as const;

/** Characters of a reason for people and for the model. */
const REASON_MAX_CHARS = 480;

/** The findings of a parser about a shell command. */
export interface ShellNeeds {
  /** Classes of capability that its programs need. */
  readonly classes: readonly string[];
  /** Reasons why its effect cannot be known; empty if it is clear. */
  readonly unclear: readonly string[];
}

/**
 * Judges a shell command: as a call of `shell`, and by the rules for every class that the command needs; the strictest counts.
 * A command that publishes or that is unclear is asked about at least, also if the rules allow it. Pure.
 */
export function judgeShellCall(
  policy: Pick<Policy, 'rules' | 'mcp'>,
  when: CallOccasion,
  { classes, unclear }: ShellNeeds,
): Judged {
  const byRule = policy.rules
    .filter((rule) => ruleNames(rule, { names: classes, when }))
    .map((rule) => judgedBy(rule, `${rule.tools.filter((name) => classes.includes(name)).join(' and ')} in a shell`));
  const asks: readonly Judged[] = [
    ...(classes.includes('publish') ? [ask('The command sends something to where others see it')] : []),
    ...(unclear.length > 0 ? [ask(`The effect of the command is unclear: ${unclear.join('; ')}`)] : []),
  ];
  return strictestOf(judgeCall(policy, { tool: 'shell', when }), [...byRule, ...asks]);
}

const ask = (reason: string): Judged => ({ verdict: 'ask', reason: reason.slice(0, REASON_MAX_CHARS).toWellFormed() });
