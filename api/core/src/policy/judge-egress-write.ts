import type { EgressWriteKind, Policy, TaintMark } from '@hamlet/contract';
import { judgedBy, ruleNames, strictestOf, type Judged } from './judged.ts';
import { askIfTainted } from './taint.ts';

/** The classes under which policy rules match a write that leaves a pod. */
export const EGRESS_CLASSES: Readonly<Record<EgressWriteKind, readonly string[]>> = {
  push: ['publish', 'network'],
  push_elsewhere: ['publish', 'network'],
  publish: ['publish', 'network'],
  checkout: ['spend', 'network'],
  write: ['write_outside', 'network'],
};

const WORDS: Readonly<Record<EgressWriteKind, string>> = {
  push: 'A push leaves the pod and cannot be undone',
  push_elsewhere: 'The push changes references outside of the branches of the agent, so only an admin may allow it',
  publish: 'A package becomes public and cannot be withdrawn',
  checkout: 'A checkout page takes money',
  write: 'The request changes something outside of the village',
};

interface JudgedWrite {
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

/**
 * Judges a host that no egress rule opens: an admin decides, unless a rule denies the network to the run. Pure.
 */
export function judgeEgressHost(policy: Pick<Policy, 'rules'>): Judged {
  const names = ['network'];
  const byRule = policy.rules
    .filter((rule) => ruleNames(rule, { names, when: 'run' }))
    .map((rule) => judgedBy(rule, 'requests to other hosts'));
  return strictestOf(
    { verdict: 'ask', reason: 'No rule of the agent, its tier or the village opens this host' },
    byRule,
  );
}
