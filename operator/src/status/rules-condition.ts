import type { CheckedRules } from '@hamlet/core/rules';
import { no, yes, type ConditionResult } from './condition.ts';

type RulesReason = 'ExamplesHold' | 'ExamplesPending' | 'RuleBroken';

const PENDING: ConditionResult<RulesReason> = {
  status: 'Unknown',
  reason: 'ExamplesPending',
  message: 'the operator is loading the parser of shell commands: wait a moment',
};

function rulesResult({ examples, errors }: CheckedRules): ConditionResult<RulesReason> {
  if (errors.length === 0)
    return yes('ExamplesHold', examples === 1 ? 'the example holds' : `all ${examples} examples hold`);
  const fails = `${errors.length} of ${examples} examples fail`;
  return no('RuleBroken', `${fails}, so their rules never allow, and still ask and deny: ${errors.join('; ')}`);
}

/**
 * The condition `RulesChecked`: whether the examples of a list of rules hold. It stands beside the chain, and rules without examples
 * (undefined) do not have it. Null: not checked yet.
 */
export function rulesResults(
  checked: CheckedRules | null | undefined,
): readonly (readonly ['RulesChecked', ConditionResult<RulesReason>])[] {
  return checked === undefined ? [] : [['RulesChecked', checked === null ? PENDING : rulesResult(checked)]];
}
