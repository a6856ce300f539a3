import type { RoutePermission } from '@hamlet/contract';
import type { Actor } from '../http/actor.ts';
import { refuseUnpermitted } from '../http/pipeline/authorize.ts';

/** The kinds that an actor may read by its role and the scopes of its API key. Pure. */
export function readableKinds<Kind extends string>(
  actor: Actor,
  kinds: readonly Kind[],
  permissionOf: Readonly<Record<Kind, RoutePermission>>,
): readonly Kind[] {
  return kinds.filter((kind) => refuseUnpermitted(actor, permissionOf[kind], `read ${kind}`) === null);
}
