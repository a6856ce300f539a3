import type { RouteSpec, VillageToolName } from '@hamlet/contract';
import { judgeCall, type JudgedCall } from '@hamlet/core';
import { readTaintUnderWay, type Db } from '@hamlet/store';
import type { Actor } from '../http/actor.ts';
import { refused, type Refused } from '../http/outcome.ts';
import type { PolicyOf } from './agent-policy.ts';
import { taintOf } from './view/taint-view.ts';

/**
 * Refuses a request of an agent to a direct route if the rules forbid it or require a person; null if they allow it.
 */
export type RefuseDirect = (
  actor: Actor,
  route: Pick<RouteSpec, 'name' | 'judged'>,
  body: unknown,
) => Promise<Refused | null>;

const TOOL_OF_ROUTE: Readonly<Record<string, VillageToolName>> = {
  moveAgent: 'go_to',
  createPost: 'post_to_board',
  revisePost: 'post_to_board',
  replyToPost: 'reply_on_board',
  reviseReply: 'reply_on_board',
  closePost: 'close_post',
  resolvePost: 'close_post',
  reopenPost: 'close_post',
  buyCompute: 'buy',
  placeBid: 'bid',
  amendPersonality: 'amend_personality',
  saveScript: 'save_script',
  adoptScript: 'adopt_script',
  deleteScript: 'delete_script',
};
const TOOL_OF_ACTION: Readonly<Record<string, VillageToolName>> = {
  talk: 'say',
  use: 'use_place',
  pick_up: 'pick_up',
  drop: 'give',
};

/**
 * The tool whose rules apply to a direct request of an agent; null if there is none, for example for an emote. Pure.
 */
function toolOfRequest(route: string, body: unknown): VillageToolName | null {
  if (route !== 'actAsAgent') return TOOL_OF_ROUTE[route] ?? null;
  if (typeof body !== 'object' || body === null || !('kind' in body)) return null;
  // A note on the notice board becomes a post.
  if (body.kind === 'use_board') return 'text' in body && body.text !== undefined ? 'post_to_board' : 'use_place';
  return TOOL_OF_ACTION[String(body.kind)] ?? null;
}

/**
 * Judges direct requests of agents. It refuses where a rule requires a person, because no person can be asked here.
 * While the agent works on a run, the rules for runs apply too, with the taint of its runs: otherwise a run could spend
 * without its permission.
 */
export function refuseDirect({ db, policyOf }: { readonly db: Db; readonly policyOf: PolicyOf }): RefuseDirect {
  return async (actor, route, body) => {
    if (actor.role !== 'agent' || route.judged !== true) return null;
    const tool = toolOfRequest(route.name, body);
    if (tool === null) return null;
    const policy = policyOf(actor.agentId);
    const refusal = (call: Pick<JudgedCall, 'when' | 'taint'>): Refused | null => {
      const { verdict, reason } = judgeCall(policy, { tool, ...call });
      if (verdict === 'allow') return null;
      return refused('policy_denied', verdict === 'ask' ? `${reason}: ask for a permission in a run` : reason);
    };
    const inTurn = refusal({ when: 'turn' });
    if (inTurn !== null) return inTurn;
    const { underWay, taint } = await readTaintUnderWay(db, actor.agentId);
    return underWay ? refusal({ when: 'run', taint: taintOf({ taint }) }) : null;
  };
}
