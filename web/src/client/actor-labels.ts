export type ViewerId = string | null;

/** Number of letters shown of an account id: enough to distinguish it from the others. */
const SHORT = 8;

/** An actor in words: `you`, `admin c1480749`, `ada`. `role` is the role at the time of the act, if recorded. */
export function actorLabel(id: string, role: string | null, viewer: ViewerId): string {
  const [kind = '', name = ''] = id.split(' ', 2);
  if (kind === 'agent') return name;
  if (kind !== 'account') return id;
  return name === viewer ? 'you' : `${role ?? 'account'} ${name.slice(0, SHORT)}`;
}

export function isOwn(id: string, viewer: ViewerId): boolean {
  return viewer !== null && id === `account ${viewer}`;
}
