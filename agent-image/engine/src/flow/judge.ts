import type { Session } from '../loop/session.ts';
import type { StageEnd } from './end-stage.ts';
import { evaluateExpression } from '../workflow/expression/expression.ts';
import { failing } from './flowing.ts';
import type { StageAt } from './flow-ports.ts';
import { scopeOf } from './stage-scope.ts';

/**
 * The end of a feedback stage by its judgement: if it does not accept the result, the judged stage has another round,
 * until the rounds are used up. Its output has the judged `result`, the `feedback`, the number of `rounds`, and whether
 * it is `accepted`.
 */
export function judged(session: Session, { stage, round, input }: StageAt, judgement: unknown): StageEnd {
  const { feedback } = stage;
  if (feedback === null) return { output: input };
  const found = evaluateExpression(feedback.until, { ...scopeOf(session, input), output: judgement });
  if (!found.ok) return failing('config', 'expression_failed', `${stage.id}: ${found.message}`);
  if (typeof found.value !== 'boolean')
    return failing('config', 'expression_failed', `${stage.id}: the condition until is not true or false.`);
  const accepted = found.value;
  if (!accepted && round < feedback.maxRounds) return { again: judgement };
  return { output: { result: input, feedback: judgement, rounds: round, accepted } };
}
