import { z } from 'zod';
import type { OidcSettings } from './oidc-settings.ts';

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** https, or plain http on this very machine. */
const SecureUrl = z
  .url({ protocol: /^https?$/ })
  .refine(
    (text) => new URL(text).protocol === 'https:' || LOOPBACK_HOSTS.has(new URL(text).hostname),
    'write an https URL',
  )
  .transform((text) => new URL(text));

/** `a, b` */
const Groups = z.string().transform((text) =>
  text
    .split(',')
    .map((group) => group.trim())
    .filter((group) => group !== ''),
);

/** What of the environment is about the identity provider. */
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
    .describe('what the sign-in button says (single sign-on)'),
  HAMLET_OIDC_SCOPE: z.string().default('openid profile email').describe('scopes to ask for (openid profile email)'),
  HAMLET_OIDC_GROUPS_CLAIM: z.string().min(1).default('groups').describe('claim that lists groups (groups)'),
  HAMLET_OIDC_ADMIN_GROUPS: Groups.default([]).describe('groups whose people are admins, comma separated'),
  HAMLET_OIDC_MEMBER_GROUPS: Groups.default([]).describe('groups whose people are members; * is everybody'),
  HAMLET_PUBLIC_URL: SecureUrl.optional().describe(
    'origin under which browsers reach the village; needed with an issuer',
  ),
} as const;

type OidcEnvironment = z.infer<z.ZodObject<typeof OIDC_ENVIRONMENT>>;

/** The settings of the identity provider; undefined where none is configured. Throws where something that it needs is missing. */
export function oidcSettingsOf(env: OidcEnvironment): OidcSettings | undefined {
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
