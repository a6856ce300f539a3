import {
  formatAiDollars,
  parseAiDollars,
  RUN_PROMPT_MAX_CHARS,
  storableText,
  WORKER_TOKENS_MIN,
  WORKER_WIDTH_MAX,
} from '@hamlet/contract/resident';
import { shorten } from '@hamlet/core/shorten';
import type { AskedAgent } from '@hamlet/engine/workflow/host';

/**
 * The arguments of the call that gives a stage to a worker. `tools`: names of the village. The prompt is for people: what the worker reads
 * stays in the pod. Pure.
 */
export function stageArguments(asked: AskedAgent, tools: readonly string[]): Readonly<Record<string, unknown>> {
  const { at, agent, text } = asked;
  const { stage, round, attempt } = at;
  const money = agent.budget?.money;
  return {
    stage: stage.id,
    round,
    attempt,
    agent: agent.id,
    prompt: shorten(storableText(text), RUN_PROMPT_MAX_CHARS).trim() || stage.id,
    tools,
    tokens: tokensOf(asked),
    ...(agent.output !== undefined && { output_schema: agent.output }),
    ...(money !== undefined && { money: formatAiDollars(parseAiDollars(money)) }),
  };
}

/**
 * The budget of its agent, or an equal share of the rest for each stage that may still run at once. One share stays free, because the API
 * counts a worker's usage on top of the budget that it reserved for the worker.
 */
function tokensOf({ agent, plan, task }: AskedAgent): number {
  const rest = task.budgets.tokens - task.spent.tokens;
  const isLeft = (id: string): boolean => (task.flow?.stages.get(id)?.closed ?? null) === null;
  const left = plan.stages.filter((stage) => stage.agent !== null && isLeft(stage.id)).length;
  const share = Math.floor(rest / (Math.min(WORKER_WIDTH_MAX, Math.max(1, left)) + 1));
  return Math.max(WORKER_TOKENS_MIN, Math.min(agent.budget?.tokens ?? share, rest));
}
