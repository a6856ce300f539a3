import {
  formatAiDollars,
  parseAiDollars,
  RUN_PROMPT_MAX_CHARS,
  storableText,
  WORKER_TOKENS_MIN,
} from '@hamlet/contract/resident';
import { shorten } from '@hamlet/core/shorten';
import type { AskedAgent } from '@hamlet/engine/workflow/host';

/** Stages on which the API lets a run have workers at once. */
const STAGES_AT_ONCE = 4;

/**
 * The arguments of the call that has a worker work for a stage. `tools`: the agent's own names of the tools of its agent. The prompt is for
 * people: what the worker reads stays in the pod. Pure.
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
 * Those that its agent asks for, or a share of the rest among the stages that may still run beside it. One share stays free, because the API
 * counts what a worker uses beside what it holds back for it.
 */
function tokensOf({ agent, plan, task }: AskedAgent): number {
  const rest = task.budgets.tokens - task.spent.tokens;
  const isLeft = (id: string): boolean => (task.flow?.stages.get(id)?.closed ?? null) === null;
  const left = plan.stages.filter((stage) => stage.agent !== null && isLeft(stage.id)).length;
  const share = Math.floor(rest / (Math.min(STAGES_AT_ONCE, Math.max(1, left)) + 1));
  return Math.max(WORKER_TOKENS_MIN, Math.min(agent.budget?.tokens ?? share, rest));
}
