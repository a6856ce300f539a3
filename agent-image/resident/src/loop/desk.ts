import type { AgentConfig } from '@hamlet/contract';
import { resourcePlanOf, type ResourcePlan, type UsableModel } from '../brain/resource-plan.ts';
import type { HelpRequest } from '../brain/situation.ts';
import type { Log } from '../process/json-log.ts';
import type { Answer, Village } from '../village/village.ts';
import { createBoardWriter, type BoardWriter } from './board-writer.ts';

/** Maximum number of help requests that wait; when more come, the oldest are dropped. */
const REQUESTS_MAX = 8;

export interface Desk {
  readonly writer: BoardWriter;
  readonly requests: HelpRequests;
  readonly planner: ResourcePlanner;
}

/** A refused model request becomes a help request if the agent lacks the tier, quota or money for the model. */
export function createDesk(village: Village, log: Log): Desk {
  const requests = createHelpRequests();
  const onRequest = (request: HelpRequest) => {
    log.info('blocked', { subject: request.subject });
    requests.add(request);
  };
  return {
    requests,
    planner: createResourcePlanner(() => village.models()),
    writer: createBoardWriter({ complete: (body) => village.complete(body), onRequest }),
  };
}

/** Obstacles that the agent has not yet asked for help with. */
export interface HelpRequests {
  add(request: HelpRequest): void;
  list(): readonly HelpRequest[];
  drop(subject: string): void;
}

/** Mutable because it holds the waiting requests. */
export function createHelpRequests(): HelpRequests {
  let waiting: HelpRequest[] = [];
  return {
    add: (request) => {
      waiting = [...waiting.filter(({ subject }) => subject !== request.subject), request].slice(-REQUESTS_MAX);
    },
    list: () => waiting,
    drop: (subject) => {
      waiting = waiting.filter((request) => request.subject !== subject);
    },
  };
}

export interface ResourcePlanner {
  /** The last complete plan; null before the first. */
  readonly plan: ResourcePlan | null;
  /**
   * Plans again; asks the gateway for its models only if the tier or the tier's models have changed. Null while an
   * input of the plan is unknown.
   */
  look(config: Pick<AgentConfig, 'tier' | 'limits'>): Promise<ResourcePlan | null>;
}

/** Mutable because it caches the models that the gateway serves to the tier. */
export function createResourcePlanner(askModels: () => Promise<Answer<readonly UsableModel[]>>): ResourcePlanner {
  let cachedFor = '';
  let models: readonly UsableModel[] = [];
  let plan: ResourcePlan | null = null;
  return {
    get plan() {
      return plan;
    },
    look: async ({ tier, limits }) => {
      if (tier === null || limits === null) return null;
      const wanted = JSON.stringify([tier, limits.models]);
      if (wanted !== cachedFor) {
        const answer = await askModels();
        if (answer.kind !== 'ok') return null;
        models = answer.value;
        cachedFor = wanted;
      }
      const included = new Set(limits.models);
      plan = resourcePlanOf({ tier, limits, models: models.filter(({ model }) => included.has(model)) });
      return plan;
    },
  };
}
