import type { AccountRole } from '@hamlet/contract';
import { z } from 'zod';

/** Groups whose people become admins, and groups whose people become members; `*` stands for every person of the provider. */
export interface RoleGroups {
  readonly admin: readonly string[];
  readonly member: readonly string[];
}

const EVERYBODY = '*';

export function roleOfGroups(groups: readonly string[], roles: RoleGroups): AccountRole | null {
  const gives = (role: AccountRole): boolean =>
    roles[role].some((group) => group === EVERYBODY || groups.includes(group));
  if (gives('admin')) return 'admin';
  return gives('member') ? 'member' : null;
}

/** A path on this host. Browsers read `//host` and `/\\host` as addresses of other hosts. */
const HERE = /^\/(?![/\\])/;

/** The path to which a sign-in returns: the requested one if it is a path of this village, otherwise `/`. Pure. */
export function safeReturnTo(wish: string | undefined): string {
  const home = '/';
  if (wish === undefined || !HERE.test(wish)) return home;
  const url = URL.parse(wish, 'http://village');
  if (url?.host !== 'village') return home;
  // URL.parse has resolved dot segments, so the remaining path must not begin like the address of another host.
  const path = `${url.pathname}${url.search}${url.hash}`;
  return HERE.test(path) ? path : home;
}

const NAME_MAX_CHARS = 60;

/** Account names are public, so an address is shortened to its local part. Pure. */
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

export function groupsOf(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return [claim];
  return Array.isArray(claim) ? claim.filter((group) => typeof group === 'string') : [];
}

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

const SecureUrl = z
  .url({ protocol: /^https?$/ })
  .refine(
    (text) => new URL(text).protocol === 'https:' || LOOPBACK_HOSTS.has(new URL(text).hostname),
    'write an https URL',
  )
  .transform((text) => new URL(text));

const Groups = z.string().transform((text) =>
  text
    .split(',')
    .map((group) => group.trim())
    .filter((group) => group !== ''),
);

export const OIDC_ENVIRONMENT = {
  HAMLET_OIDC_ISSUER: SecureUrl.optional().describe('OpenID issuer by which people may sign in; none if unset'),
  HAMLET_OIDC_CLIENT_ID: z.string().optional().describe('client id at the issuer'),
  HAMLET_OIDC_CLIENT_SECRET_FILE: z
    .string()
    .optional()
    .describe('file with the client secret; without it the client is public'),
  HAMLET_OIDC_NAME: z
    .string()
    .max(64)
    .default('single sign-on')
    .describe('label of the sign-in button (single sign-on)'),
  HAMLET_OIDC_SCOPE: z.string().default('openid profile email').describe('scopes to ask for (openid profile email)'),
  HAMLET_OIDC_GROUPS_CLAIM: z.string().min(1).default('groups').describe('claim that lists groups (groups)'),
  HAMLET_OIDC_ADMIN_GROUPS: Groups.default([]).describe('groups whose people are admins, comma separated'),
  HAMLET_OIDC_MEMBER_GROUPS: Groups.default([]).describe('groups whose people are members; * means every person'),
  HAMLET_PUBLIC_URL: SecureUrl.optional().describe(
    'origin under which browsers reach the village; needed with an issuer',
  ),
} as const;

type OidcEnvironment = z.infer<z.ZodObject<typeof OIDC_ENVIRONMENT>>;
export type OidcSettings = NonNullable<ReturnType<typeof oidcSettingsOf>>;

/** The settings of the identity provider; undefined if none is configured. Throws if a required variable is missing. */
export function oidcSettingsOf(env: OidcEnvironment) {
  const { HAMLET_OIDC_ISSUER: issuer, HAMLET_OIDC_CLIENT_ID: clientId, HAMLET_PUBLIC_URL: publicUrl } = env;
  if (issuer === undefined) return undefined;
  if (clientId === undefined) throw new Error('HAMLET_OIDC_CLIENT_ID: write the client id that the issuer gave');
  if (publicUrl === undefined)
    throw new Error('HAMLET_PUBLIC_URL: write the origin of the village, for example https://village.example');
  return {
    issuer,
    clientId,
    publicUrl,
    clientSecretFile: env.HAMLET_OIDC_CLIENT_SECRET_FILE,
    name: env.HAMLET_OIDC_NAME,
    scope: env.HAMLET_OIDC_SCOPE,
    groupsClaim: env.HAMLET_OIDC_GROUPS_CLAIM,
    roles: { admin: env.HAMLET_OIDC_ADMIN_GROUPS, member: env.HAMLET_OIDC_MEMBER_GROUPS },
  };
}
