import { acceptOffer, createRun, type Need, raiseRun } from '@hamlet/contract';
import type { Intent } from '../../client/query/use-live.ts';

const CONTINUED = 'Continue this task.';

/** Calls the route of a remedy. Resolves to true if the API accepted it. */
export async function carryOut(need: Need, call: Intent['call']): Promise<boolean> {
  const { id, agent_id: agentId, remedy } = need;
  switch (remedy?.route) {
    case 'acceptOffer':
      return (await call(acceptOffer, { params: { run_id: id } }, id)) !== null;
    case 'raiseRun':
      return (await call(raiseRun, { params: { run_id: id }, body: { budgets: 'refill' } }, id)) !== null;
    case 'createRun': {
      const body = { prompt: CONTINUED, continues: id };
      return agentId !== null && (await call(createRun, { params: { agent_id: agentId }, body }, id)) !== null;
    }
    default:
      return false;
  }
}
