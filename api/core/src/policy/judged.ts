import type { CallOccasion, Policy, PolicyRule, Verdict } from '@hamlet/contract';

export interface Judged {
  readonly verdict: Verdict;
  /** Sentence for people and for the model. */
  readonly reason: string;
  readonly rule?: ResolvedRule;
}

export type ResolvedRule = Policy['rules'][number];

const STRICTNESS: Readonly<Record<Verdict, number>> = {
  allow: 0,
  ask: 1,
  deny: 2,
};

const WORDS: Readonly<Record<Verdict, string>> = {
  allow: 'The rules allow',
  ask: 'The rules ask a person before',
  deny: 'The rules forbid',
};

/** True if a rule applies in this circumstance and has one of the names. Pure. */
export function ruleNames(
  rule: Pick<PolicyRule, 'tools' | 'when'>,
  { names, when }: { readonly names: readonly string[]; readonly when: CallOccasion },
): boolean {
  return (rule.when === undefined || rule.when === when) && rule.tools.some((name) => names.includes(name));
}

/** The judgement of one rule, with its own reason or the default. Pure. */
export function judgedBy(rule: ResolvedRule, about: string): Judged {
  const { verdict, reason } = rule;
  return { verdict, reason: reason ?? `${WORDS[verdict]} ${about}`, rule };
}

/** Deny overrides ask, ask overrides allow; the first of several equal judgements counts. Pure. */
export function strictestOf(first: Judged, others: readonly Judged[]): Judged {
  return others.reduce((a, b) => (STRICTNESS[b.verdict] > STRICTNESS[a.verdict] ? b : a), first);
}
