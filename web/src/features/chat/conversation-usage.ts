import type { Conversation } from '../../client/minds/conversation.ts';
import { traceItems, usageSoFar } from '../../client/minds/trace-items.ts';
import { sumOf } from '../money/money-labels.ts';
import { usageLabel } from './chat-labels.ts';

/** Steps and cost of the answers of a conversation, and of the work under way: `7 steps · 0.05 ai$`. Pure. */
export function usageOf({ messages, traces }: Conversation): string {
  const answers = messages.filter(({ cost, steps }) => cost !== null || steps !== null);
  const open = messages
    .filter(({ state }) => state === 'working')
    .flatMap(({ run_id: id }) => {
      const trace = id === null ? undefined : traces.get(id);
      return trace === undefined ? [] : [trace];
    });
  const steps = open.map((trace) => Math.max(trace.run?.usage.steps ?? 0, usageSoFar(traceItems(trace, [])).steps));
  return usageLabel(
    [...answers.map((answer) => answer.steps ?? 0), ...steps].reduce((sum, next) => sum + next, 0),
    sumOf([...answers.map(({ cost }) => cost ?? '0'), ...open.map(({ run }) => run?.usage.cost ?? '0')]),
  );
}
