import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { DEFAULT_BRAND } from '../../values/village-setting.ts';
import { AccountName, GivenPassword, NewPassword, ofPeople, OneTimeCode, SignedIn } from './account.ts';

const RETURN_TO_MAX_CHARS = 512;
const open = { ...ofPeople, permission: 'anyone', idempotency: 'natural' } as const;

export const LoginOptions = z.strictObject({
  bootstrap: z
    .boolean()
    .describe('True while there is no account: the one-time code of the installation creates the first'),
  private_connection: z.boolean().describe('True if people can sign in here: over https or on localhost'),
  oidc: z
    .strictObject({
      name: z.string(),
      path: z.string().describe('Address that the browser opens to sign in'),
    })
    .nullable()
    .describe('The identity provider; null if none is configured'),
  brand: z
    .strictObject({ name: z.string(), color: z.string().describe('Accent color as #rrggbb') })
    .default(DEFAULT_BRAND)
    .describe('Name and color of the village; an older API sends none'),
});
export type LoginOptions = z.infer<typeof LoginOptions>;

export const getLoginOptions = defineRoute('getLoginOptions GET /login/options', {
  ...ofPeople,
  summary: 'Ways to sign in here',
  permission: 'anyone',
  answer: json(LoginOptions),
});

export const bootstrapAccount = defineRoute('bootstrapAccount POST /accounts/bootstrap', {
  ...open,
  summary: 'Create the first admin with the one-time code, and sign in',
  body: z.strictObject({ code: OneTimeCode, name: AccountName, password: NewPassword }),
  status: 201,
  answer: SignedIn,
  reasons: ['tls_required', 'bootstrap_closed', 'bootstrap_code_wrong'],
});

export const logIn = defineRoute('logIn POST /login', {
  ...open,
  summary: "Sign in; the answer sets the session cookie, and the browser's earlier session ends",
  body: z.strictObject({ name: AccountName, password: GivenPassword }),
  answer: SignedIn,
  reasons: ['tls_required', 'credentials_wrong', 'account_disabled', 'account_banned'],
});

export const redeemCode = defineRoute('redeemCode POST /login/code', {
  ...open,
  summary:
    'Set a password with the one-time code of an invitation or a reset, and sign in; all other sessions of the account end',
  body: z.strictObject({ code: OneTimeCode, password: NewPassword }),
  answer: SignedIn,
  reasons: ['tls_required', 'code_invalid', 'account_disabled', 'account_banned'],
});

export const startOidc = defineRoute('startOidc GET /login/oidc', {
  ...open,
  summary: 'Go to the identity provider to sign in',
  query: z.strictObject({
    return_to: z
      .string()
      .max(RETURN_TO_MAX_CHARS)
      .regex(/^[\x20-\x7e]*$/, 'write printable ASCII, percent-encoded')
      .optional()
      .describe('Path of this village to return to; / by default, or if it leads elsewhere'),
  }),
  answer: { kind: 'redirect' },
  reasons: ['oidc_not_configured', 'tls_required'],
});

/** The provider may add parameters; the library that parses the query validates them. */
const CallbackQuery = z.looseObject({
  code: z.string().optional(),
  state: z.string().optional(),
  error: z.string().optional(),
});

export const finishOidc = defineRoute('finishOidc GET /login/oidc/callback', {
  ...open,
  summary: 'Return from the identity provider: signs in and redirects; on failure redirects to /?login_error=CODE',
  query: CallbackQuery,
  answer: { kind: 'redirect' },
  reasons: [
    'oidc_not_configured',
    'oidc_attempt_unknown',
    'oidc_refused',
    'oidc_no_role',
    'account_disabled',
    'account_banned',
  ],
});

export const logOut = defineRoute('logOut POST /logout', {
  ...ofPeople,
  summary: 'End this session',
  permission: 'account:self',
  idempotency: 'natural',
  answer: json(z.strictObject({ signed_out: z.literal(true) })),
});
