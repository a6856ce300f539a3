import type { Limits } from '@hamlet/contract';

/** Steps that each tool at a time is worth in one run. */
const STEPS_FOR_EACH_TOOL = 24;
/** As many as the village takes for one run. */
const STEPS_MAX = 64;

/** A model that the agent may use now. */
export interface UsableModel {
  readonly model: string;
  readonly contextTokens: number;
}

/** How the agent goes about its work at its tier. */
export interface ResourcePlan {
  readonly tier: string | null;
  /** The model it writes with; null where it writes by itself. */
  readonly model: string | null;
  /** Steps that it takes for one run at most. */
  readonly toolCalls: number;
}

/** What a tier means for the agent: the largest model that it includes and that is served, and as many steps a run as its tools allow. Pure. */
export function planOfTier({
  tier,
  limits,
  models,
}: {
  readonly tier: string | null;
  readonly limits: Limits | null;
  readonly models: readonly UsableModel[];
}): ResourcePlan {
  const [largest] = models.toSorted((a, b) => b.contextTokens - a.contextTokens || (a.model < b.model ? -1 : 1));
  const toolCalls = Math.min(STEPS_MAX, STEPS_FOR_EACH_TOOL * (limits?.concurrent_tools ?? 0));
  return { tier, model: largest?.model ?? null, toolCalls };
}

/** A change of plan as the agent tells it: only of what has changed, and never of nothing. */
export interface PlanNews {
  readonly title: string;
  /** Whole sentences. */
  readonly facts: string;
  readonly why: string;
}

/** The differences between two plans in words; null where there is none. Pure. */
export function newsOfPlan(before: ResourcePlan, now: ResourcePlan): PlanNews | null {
  if (isSamePlan(before, now)) return null;
  const [was, is] = [before.tier ?? 'no tier', now.tier ?? 'no tier'];
  const means = meansInWords(before, now);
  if (was === is)
    return {
      title: 'My means have changed',
      facts: `I am in ${is} as before. ${means}`,
      why: `my means have changed within ${is}: my plan changes`,
    };
  const why = `my means have changed with my tier (${before.tier ?? 'none'} before, ${now.tier ?? 'none'} now): my plan changes`;
  return { title: `I am in ${is} now`, facts: `I am in ${is} now, and was in ${was} before. ${means}`, why };
}

function meansInWords(before: ResourcePlan, now: ResourcePlan): string {
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

/** Whether two plans are the same. Pure. */
export function isSamePlan(a: ResourcePlan, b: ResourcePlan): boolean {
  return a.tier === b.tier && a.model === b.model && a.toolCalls === b.toolCalls;
}
