import { OWN_AGENT_PERMISSIONS, roleMay, type RoutePermission, type RouteSpec, scopesAllow } from '@hamlet/contract';
import type { Actor } from '../actor.ts';
import { refused, type Refused } from '../outcome.ts';

/** Null if the role of the actor has the permission, and its key a scope with it. `act` names what it wants, for the refusal. */
export function refuseUnpermitted(actor: Actor, permission: RoutePermission, act: string): Refused | null {
  if (!roleMay(actor.role, permission)) return refused('forbidden', `The role ${actor.role} may not ${act}`);
  const key = 'key' in actor ? actor.key : undefined;
  if (key === undefined || permission === 'anyone' || scopesAllow(key.scopes, permission)) return null;
  return refused('forbidden', `The scopes of this API key (${key.scopes.join(', ')}) do not let it ${act}`);
}

export function authorize(
  route: RouteSpec,
  actor: Actor,
  params: Readonly<Record<string, string | string[] | undefined>>,
): Refused | null {
  const denied = refuseUnpermitted(actor, route.permission, `call ${route.name}`);
  if (denied !== null) return actor.role === 'visitor' ? refused('unauthenticated') : denied;
  if (actor.role === 'agent' && OWN_AGENT_PERMISSIONS.has(route.permission) && params['agent_id'] !== actor.agentId) {
    return refused('not_own_agent', `This token belongs to ${actor.agentId}: use a token of the agent in the request`);
  }
  return null;
}
