import type { AccountRole } from '@hamlet/contract';

/** How people sign in by an identity provider. */
export interface OidcSettings {
  readonly issuer: URL;
  readonly clientId: string;
  /** File of the client secret; a public client (code and PKCE alone) has none. */
  readonly clientSecretFile: string | undefined;
  /** Origin under which browsers reach the village; the provider sends them back there. */
  readonly publicUrl: URL;
  /** What the button says. */
  readonly name: string;
  readonly scope: string;
  /** The claim that lists a person's groups. */
  readonly groupsClaim: string;
  readonly roles: RoleGroups;
}

/** The groups that make somebody an admin, and those that make a member; `*` in either is everybody whom the provider vouches for. */
export interface RoleGroups {
  readonly admin: readonly string[];
  readonly member: readonly string[];
}

const EVERYBODY = '*';

/** The role that groups give; null where they give none. Pure. */
export function roleOfGroups(groups: readonly string[], roles: RoleGroups): AccountRole | null {
  const gives = (role: AccountRole): boolean =>
    roles[role].some((group) => group === EVERYBODY || groups.includes(group));
  if (gives('admin')) return 'admin';
  return gives('member') ? 'member' : null;
}

/** A path of this host: `//host` and `/\\host` are other hosts to a browser. */
const HERE = /^\/(?![/\\])/;

/** Where a sign-in leads in the end: a path of this village, whatever was asked for. Pure. */
export function safeReturnTo(wish: string | undefined): string {
  const home = '/';
  if (wish === undefined || !HERE.test(wish)) return home;
  const url = URL.parse(wish, 'http://village');
  if (url?.host !== 'village') return home;
  // Dot segments are resolved by now: what is left must not begin like the address of another host.
  const path = `${url.pathname}${url.search}${url.hash}`;
  return HERE.test(path) ? path : home;
}

const NAME_MAX_CHARS = 60;

/** A name that an account may have, from what the provider calls a person. Everybody sees it: of an address only the part before the @ is taken. Pure. */
export function accountNameOf(claims: Readonly<Record<string, unknown>>): string {
  for (const claim of ['preferred_username', 'name', 'email', 'sub']) {
    const said = claims[claim];
    const name =
      typeof said === 'string'
        ? said
            .replace(/^([^@\s]+)@\S+$/, '$1')
            .replaceAll(/[^\p{L}\p{N}._@ -]+/gu, ' ')
            .replaceAll(/ +/g, ' ')
            .trim()
            .slice(0, NAME_MAX_CHARS)
            .trim()
        : '';
    if (name !== '') return name;
  }
  return 'person';
}

/** The groups that a claim lists: an array of text, or one text. Pure. */
export function groupsOf(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return [claim];
  return Array.isArray(claim) ? claim.filter((group) => typeof group === 'string') : [];
}
