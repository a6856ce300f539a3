import type { AgentConfig } from '@hamlet/contract';
import { planOfTier } from '../brain/plan-of-tier.ts';
import type { ResourcePlan, UsableModel } from '../brain/plan-of-tier.ts';
import type { Answer } from '../village/village.ts';

/** What the agent has to work with, and the plan that follows from it. */
export interface Means {
  /** The plan of the last look that knew all; null before the first. */
  readonly plan: ResourcePlan | null;
  /**
   * Looks at the tier; asks the gateway for its models where the tier names others than before. Null as long as the tier, its limits or the
   * gateway's models are not known: half a look is no plan, and a plan of half a look would change with the next.
   */
  look(config: Pick<AgentConfig, 'tier' | 'limits'>): Promise<ResourcePlan | null>;
}

/** Mutable because it remembers the models that the gateway serves to the tier. */
export function createMeans(askModels: () => Promise<Answer<readonly UsableModel[]>>): Means {
  let asked = '';
  let models: readonly UsableModel[] = [];
  let plan: ResourcePlan | null = null;
  return {
    get plan() {
      return plan;
    },
    look: async ({ tier, limits }) => {
      if (tier === null || limits === null) return null;
      const wanted = JSON.stringify([tier, limits.models]);
      if (wanted !== asked) {
        const answer = await askModels();
        // A gateway that gives no list now is asked at the next look.
        if (answer.kind !== 'ok') return null;
        models = answer.value;
        asked = wanted;
      }
      const included = new Set(limits.models);
      plan = planOfTier({ tier, limits, models: models.filter(({ model }) => included.has(model)) });
      return plan;
    },
  };
}
