import type { AgentConfig } from '@hamlet/contract';

/** Steps in one run for each tool that the tier allows to run at the same time. */
const STEPS_FOR_EACH_TOOL = 24;
const STEPS_MAX = 64;

export interface ResourcePlan {
  readonly tier: string | null;
  readonly model: string | null;
  readonly toolCalls: number;
}

export type Resources = Pick<AgentConfig, 'tier' | 'limits' | 'model'>;

/** Plans with the model that the village chose for the agent, and with the steps that its concurrent tools allow. */
export function resourcePlanOf({ tier, limits, model }: Resources): ResourcePlan {
  const toolCalls = Math.min(STEPS_MAX, STEPS_FOR_EACH_TOOL * (limits?.concurrent_tools ?? 0));
  return { tier, model: model?.name ?? null, toolCalls };
}

export interface PlanChange {
  readonly title: string;
  readonly facts: string;
  readonly why: string;
}

/** The differences between two plans in words; null when the plans are equal. */
export function planChange(before: ResourcePlan, now: ResourcePlan): PlanChange | null {
  if (isSamePlan(before, now)) return null;
  const [was, is] = [before.tier ?? 'no tier', now.tier ?? 'no tier'];
  const changes = changesInWords(before, now);
  if (was === is)
    return {
      title: 'My resources have changed',
      facts: `I am in ${is} as before. ${changes}`,
      why: `my resources have changed within ${is}`,
    };
  const why = `my tier has changed (${before.tier ?? 'none'} before, ${now.tier ?? 'none'} now)`;
  return { title: `I am in ${is} now`, facts: `I am in ${is} now, and was in ${was} before. ${changes}`, why };
}

function changesInWords(before: ResourcePlan, now: ResourcePlan): string {
  const writing = (model: string | null): string =>
    model === null ? 'sentences of my own list' : `the model ${model}`;
  const model =
    before.model === now.model ? null : `I write with ${writing(now.model)} instead of ${writing(before.model)}`;
  const steps =
    before.toolCalls === now.toolCalls
      ? null
      : `take at most ${now.toolCalls} steps a run instead of ${before.toolCalls}`;
  if (model !== null && steps !== null) return `From now on ${model}, and ${steps}.`;
  if (model !== null) return `From now on ${model}.`;
  return steps === null ? 'I go on with the same model and as many steps a run as before.' : `From now on I ${steps}.`;
}

export function isSamePlan(a: ResourcePlan, b: ResourcePlan): boolean {
  return a.tier === b.tier && a.model === b.model && a.toolCalls === b.toolCalls;
}
