import type { Policy } from '@hamlet/contract';
import { judgeCall, type JudgedCall } from './judge-call.ts';
import { judgedBy, ruleNames, strictestOf, type Judged } from './judged.ts';
import { askIfTainted } from './taint.ts';

/** Characters of a reason for people and for the model. */
const REASON_MAX_CHARS = 480;

/** The findings of a parser about a shell command. */
export interface ShellNeeds {
  /** Classes of capability that its programs need. */
  readonly classes: readonly string[];
  /** Reasons why its effect cannot be known; empty if it is clear. */
  readonly unclear: readonly string[];
}

/** A call of a run, with all by which the API judges it. */
export type RunCall = JudgedCall & {
  /** The needs of a shell command; null for another call. */
  readonly needs: ShellNeeds | null;
  /** True if the broker asks a person about each write of the agent's pod, as `asksAboutWrites` finds; false by default. */
  readonly brokerAsks?: boolean | undefined;
};

/**
 * Judges a call as the API judges each: a tool by its name and class, and one that stands for a shell command by what the command needs.
 * Parent, worker, resumed run and trial of new rules have this one evaluator. Pure.
 */
export function judge(policy: Pick<Policy, 'rules' | 'mcp'>, { needs, brokerAsks, ...call }: RunCall): Judged {
  return needs === null ? judgeCall(policy, call) : judgeShellCall(policy, call, { ...needs, brokerAsks });
}

/**
 * Judges a shell command: as a call of its tool, and by the rules for every class that the command needs; the strictest counts.
 * A command that publishes or that is unclear is asked about at least, also if the rules allow it. Where the broker asks about
 * each write, the class `publish` is asked about there, with what really leaves, and not here; a denial holds here too. Pure.
 */
export function judgeShellCall(
  policy: Pick<Policy, 'rules' | 'mcp'>,
  { tool, when, taint }: JudgedCall,
  { classes, unclear, brokerAsks = false }: ShellNeeds & Pick<RunCall, 'brokerAsks'>,
): Judged {
  const askedHere = brokerAsks ? classes.filter((name) => name !== 'publish') : classes;
  const byRule = policy.rules
    .filter((rule) => ruleNames(rule, { names: rule.verdict === 'deny' ? classes : askedHere, when }))
    .map((rule) => judgedBy(rule, `${rule.tools.filter((name) => classes.includes(name)).join(' and ')} in a shell`));
  const needed = askedHere.map((name) => ({ name, aliases: name === 'exec' ? [tool] : [] }));
  const tainted = askIfTainted(policy, { when, classes: needed, taint: taint ?? [] });
  const asks: readonly Judged[] = [
    ...(askedHere.includes('publish') ? [ask('The command sends something to where others see it')] : []),
    ...(unclear.length > 0 ? [ask(`The effect of the command is unclear: ${unclear.join('; ')}`)] : []),
    ...(tainted === null ? [] : [tainted]),
  ];
  return strictestOf(judgeCall(policy, { tool, when }), [...byRule, ...asks]);
}

const ask = (reason: string): Judged => ({ verdict: 'ask', reason: reason.slice(0, REASON_MAX_CHARS).toWellFormed() });
