import type { CheckedRules } from '../objects/rule-checker.ts';
import { no, yes, type ConditionResult } from './condition.ts';

type RulesReason = 'ExamplesHold' | 'ExamplesPending' | 'NameUnknown' | 'RuleBroken';

const PENDING: ConditionResult<RulesReason> = {
  status: 'Unknown',
  reason: 'ExamplesPending',
  message: 'the operator is loading the parser of shell commands: wait a moment',
};

function rulesResult({ examples, errors, unknown }: CheckedRules): ConditionResult<RulesReason> {
  if (errors.length > 0) {
    const fails = `${errors.length} of ${examples} examples fail`;
    const all = [...errors, ...unknown].join('; ');
    return no('RuleBroken', `${fails}, so their rules never allow, and still ask and deny: ${all}`);
  }
  if (unknown.length > 0) return no('NameUnknown', unknown.join('; '));
  return yes('ExamplesHold', examples === 1 ? 'the example holds' : `all ${examples} examples hold`);
}

/**
 * The condition `RulesChecked`: true if the examples of a list of rules hold and every name in it is known. It does not affect Ready, and is
 * missing if there is nothing to report (undefined). Null: not checked yet.
 */
export function rulesResults(
  checked: CheckedRules | null | undefined,
): readonly (readonly ['RulesChecked', ConditionResult<RulesReason>])[] {
  return checked === undefined ? [] : [['RulesChecked', checked === null ? PENDING : rulesResult(checked)]];
}
