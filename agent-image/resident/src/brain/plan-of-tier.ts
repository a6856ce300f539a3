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
export function planOfTier({ tier, limits, models }: { readonly tier: string | null; readonly limits: Limits | null; readonly models: readonly UsableModel[] }): ResourcePlan {
  const [largest] = models.toSorted((a, b) => b.contextTokens - a.contextTokens || (a.model < b.model ? -1 : 1));
  const toolCalls = Math.min(STEPS_MAX, STEPS_FOR_EACH_TOOL * (limits?.concurrent_tools ?? 0));
  return { tier, model: largest?.model ?? null, toolCalls };
}

/** What is otherwise under another plan, in words. Pure. */
export function changeInWords(before: ResourcePlan, now: ResourcePlan): string {
  const writing = (model: string | null): string => (model === null ? 'sentences of my own list' : `the model ${model}`);
  const model = before.model === now.model ? `I go on writing with ${writing(now.model)}` : `I write with ${writing(now.model)} instead of ${writing(before.model)}`;
  const steps = before.toolCalls === now.toolCalls ? `take ${now.toolCalls} steps a run as before` : `take at most ${now.toolCalls} steps a run instead of ${before.toolCalls}`;
  return `I am in ${now.tier ?? 'no tier'} now, and was in ${before.tier ?? 'no tier'} before. From now on ${model}, and ${steps}.`;
}

/** Whether two plans are the same. Pure. */
export function isSamePlan(a: ResourcePlan, b: ResourcePlan): boolean {
  return a.tier === b.tier && a.model === b.model && a.toolCalls === b.toolCalls;
}
