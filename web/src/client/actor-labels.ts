/** The viewer as acts are signed: the account's id, or null for a visitor. */
export type ViewerId = string | null;

/** Letters of an account's id that distinguish it from the others. */
const SHORT = 8;

/**
 * The actor of an act, in words: `you`, `admin c1480749`, `ada`. The api signs with `account ID`, `agent NAME` or a word of its own.
 * @param role the actor's role at the time; null where it was not recorded
 */
export function actorLabel(id: string, role: string | null, viewer: ViewerId): string {
  const [kind = '', name = ''] = id.split(' ', 2);
  if (kind === 'agent') return name;
  if (kind !== 'account') return id;
  return name === viewer ? 'you' : `${role ?? 'account'} ${name.slice(0, SHORT)}`;
}

/** Whether a viewer did something themselves. */
export function isOwn(id: string, viewer: ViewerId): boolean {
  return viewer !== null && id === `account ${viewer}`;
}
