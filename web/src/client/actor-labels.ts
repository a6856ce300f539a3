/** The account id of the viewer, or null for a visitor. */
export type ViewerId = string | null;

/** Number of letters shown of an account id: enough to distinguish it from the others. */
const SHORT = 8;

/**
 * The actor of an act, in words: `you`, `admin c1480749`, `ada`. The API names an actor `account ID`, `agent NAME`, or
 * by a word of its own.
 * @param role the actor's role at the time of the act; null if it was not recorded
 */
export function actorLabel(id: string, role: string | null, viewer: ViewerId): string {
  const [kind = '', name = ''] = id.split(' ', 2);
  if (kind === 'agent') return name;
  if (kind !== 'account') return id;
  return name === viewer ? 'you' : `${role ?? 'account'} ${name.slice(0, SHORT)}`;
}

/** True if the viewer is this actor. */
export function isOwn(id: string, viewer: ViewerId): boolean {
  return viewer !== null && id === `account ${viewer}`;
}
