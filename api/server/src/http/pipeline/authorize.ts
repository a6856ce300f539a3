import { OWN_AGENT_PERMISSIONS, roleMay, type RouteSpec } from '@hamlet/contract';
import type { Actor } from '../actor.ts';
import { refused, type Refused } from '../outcome.ts';

export function authorize(
  route: RouteSpec,
  actor: Actor,
  params: Readonly<Record<string, string | string[] | undefined>>,
): Refused | null {
  if (!roleMay(actor.role, route.permission)) {
    if (actor.role === 'visitor') return refused('unauthenticated');
    return refused('forbidden', `The role ${actor.role} may not call ${route.name}`);
  }
  if (actor.role === 'agent' && OWN_AGENT_PERMISSIONS.has(route.permission) && params['agent_id'] !== actor.agentId) {
    return refused('not_own_agent', `This token belongs to ${actor.agentId}: use a token of the agent in the request`);
  }
  return null;
}
