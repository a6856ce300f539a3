import type { AgentConfig } from '@hamlet/contract';
import { planOfTier } from '../brain/plan-of-tier.ts';
import type { ResourcePlan, UsableModel } from '../brain/plan-of-tier.ts';
import type { Answer } from '../village/village.ts';

/** What the agent has to work with, and the plan that follows from it. */
export interface Means {
  /** The plan of the last look; null before the first. */
  readonly plan: ResourcePlan | null;
  /** Looks at the tier; asks the gateway for its models where the tier names others than before. */
  look(config: Pick<AgentConfig, 'tier' | 'limits'>): Promise<ResourcePlan>;
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
      const wanted = JSON.stringify([tier, limits?.models ?? []]);
      if (wanted !== asked) {
        const answer = await askModels();
        if (answer.kind === 'ok') models = answer.value;
        // A gateway that cannot answer now is asked at the next look; until then the models of before hold as far as the tier names them.
        if (answer.kind === 'ok' || answer.kind === 'refused') asked = wanted;
      }
      const included = new Set(limits?.models);
      plan = planOfTier({ tier, limits, models: models.filter(({ model }) => included.has(model)) });
      return plan;
    },
  };
}
