import type { Policy } from '@hamlet/contract';
import { judgeCall, type JudgedCall } from './judge-call.ts';
import { judgedBy, ruleNames, strictestOf, type Judged } from './judged.ts';
import { askIfTainted } from './taint.ts';
import { shorten } from '../values/shorten.ts';

/** Maximum characters of a reason for people and for the model. */
const REASON_MAX_CHARS = 480;

/** The findings of a parser about a shell command. */
export interface ShellNeeds {
  /** Capability classes that its programs need. */
  readonly classes: readonly string[];
  /** Reasons why its effect cannot be known; empty if it is clear. */
  readonly unclear: readonly string[];
}

type RunCall = JudgedCall & {
  /** The needs of a shell command; null for another call. */
  readonly needs: ShellNeeds | null;
  /** True if the broker asks a person about each write of the agent's pod (see `asksAboutWrites`); false by default. */
  readonly brokerAsks?: boolean | undefined;
};

/**
 * The one evaluator of calls, for runs, workers, resumed runs and trials of new rules: a tool is judged by name and
 * class, a shell command also by the classes that it needs. Pure.
 */
export function judge(policy: Pick<Policy, 'rules' | 'mcp'>, { needs, brokerAsks, ...call }: RunCall): Judged {
  return needs === null ? judgeCall(policy, call) : judgeShellCall(policy, call, { ...needs, brokerAsks });
}

/**
 * Judges a shell command as a call of its tool and by the rules for every class that it needs; the strictest verdict
 * counts. A command that publishes or is unclear at least asks a person, even if the rules allow it. If the broker asks
 * about each write, it asks about the actual bytes, so `publish` does not ask here; denials still apply. Pure.
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
    ...(askedHere.includes('publish') ? [ask('The command publishes something')] : []),
    ...(unclear.length > 0 ? [ask(`The effect of the command is unclear: ${unclear.join('; ')}`)] : []),
    ...(tainted === null ? [] : [tainted]),
  ];
  return strictestOf(judgeCall(policy, { tool, when }), [...byRule, ...asks]);
}

const ask = (reason: string): Judged => ({ verdict: 'ask', reason: shorten(reason.toWellFormed(), REASON_MAX_CHARS) });
