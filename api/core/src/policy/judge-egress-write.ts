import type { EgressWriteKind, Policy, TaintMark } from '@hamlet/contract';
import { judgedBy, ruleNames, strictestOf, type Judged } from './judged.ts';
import { askIfTainted } from './taint.ts';

/** The classes under which policy rules match a write that leaves a pod. */
export const EGRESS_CLASSES: Readonly<Record<EgressWriteKind, readonly string[]>> = {
  push: ['publish', 'network'],
  publish: ['publish', 'network'],
  checkout: ['spend', 'network'],
  write: ['write_outside', 'network'],
};

const WORDS: Readonly<Record<EgressWriteKind, string>> = {
  push: 'A push leaves the pod and cannot be undone',
  publish: 'A package becomes public and cannot be withdrawn',
  checkout: 'A checkout page takes money',
  write: 'The request changes something outside of the village',
};

export interface JudgedWrite {
  readonly kind: EgressWriteKind;
  readonly isAllowedByRule: boolean;
  readonly taint: readonly TaintMark[];
}

/**
 * Judges a write that leaves a pod: a person decides, unless an egress rule of the agent says `writes: Allow`, which
 * covers only plain writes. Policy rules for a class of the write, and a tainted run, make it stricter. Pure.
 */
export function judgeEgressWrite(policy: Pick<Policy, 'rules'>, { kind, isAllowedByRule, taint }: JudgedWrite): Judged {
  const names = EGRESS_CLASSES[kind];
  const byRule = policy.rules
    .filter((rule) => ruleNames(rule, { names, when: 'run' }))
    .map((rule) => judgedBy(rule, `${rule.tools.filter((name) => names.includes(name)).join(' and ')} from a pod`));
  const least: Judged =
    kind === 'write' && isAllowedByRule
      ? { verdict: 'allow', reason: 'A rule of the Agent says writes: Allow' }
      : { verdict: 'ask', reason: WORDS[kind] };
  const classes = names.map((name) => ({ name, aliases: [] }));
  const tainted = askIfTainted(policy, { when: 'run', classes, taint });
  return strictestOf(least, tainted === null ? byRule : [...byRule, tainted]);
}
