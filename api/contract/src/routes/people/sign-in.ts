import { z } from 'zod';
import { defineRoute } from '../../route.ts';
import { AccountName, GivenPassword, NewPassword, ofPeople, OneTimeCode, SignedIn } from './account.ts';

const RETURN_TO_MAX_CHARS = 512;

/** What the page that signs people in needs to know. */
export const LoginOptions = z.strictObject({
  bootstrap: z
    .boolean()
    .meta({ description: 'Nobody has an account yet: the one-time code of the installation makes the first' }),
  private_connection: z
    .boolean()
    .meta({ description: 'False over plain http on another host, where nobody can sign in' }),
  oidc: z
    .strictObject({ name: z.string(), path: z.string().meta({ description: 'Where the browser goes to sign in' }) })
    .nullable()
    .meta({ description: 'The identity provider; null where none is configured' }),
});
export type LoginOptions = z.infer<typeof LoginOptions>;

export const getLoginOptions = defineRoute({
  ...ofPeople,
  name: 'getLoginOptions',
  summary: 'How people can sign in here',
  method: 'GET',
  path: '/login/options',
  permission: 'anyone',
  idempotency: 'read',
  answer: { kind: 'json', schema: LoginOptions },
  reasons: [],
});

export const bootstrapAccount = defineRoute({
  ...ofPeople,
  name: 'bootstrapAccount',
  summary: 'Make the first admin with the one-time code, and sign in',
  method: 'POST',
  path: '/accounts/bootstrap',
  permission: 'anyone',
  idempotency: 'natural',
  body: z.strictObject({ code: OneTimeCode, name: AccountName, password: NewPassword }),
  status: 201,
  answer: SignedIn,
  reasons: ['tls_required', 'bootstrap_closed', 'bootstrap_code_wrong'],
});

export const logIn = defineRoute({
  ...ofPeople,
  name: 'logIn',
  summary: 'Sign in; the session comes as a cookie, and the one that the browser had ends',
  method: 'POST',
  path: '/login',
  permission: 'anyone',
  idempotency: 'natural',
  body: z.strictObject({ name: AccountName, password: GivenPassword }),
  answer: SignedIn,
  reasons: ['tls_required', 'credentials_wrong', 'account_disabled', 'account_banned'],
});

export const redeemCode = defineRoute({
  ...ofPeople,
  name: 'redeemCode',
  summary: 'Set a password with the one-time code of an invitation or a reset, and sign in',
  method: 'POST',
  path: '/login/code',
  permission: 'anyone',
  idempotency: 'natural',
  body: z.strictObject({ code: OneTimeCode, password: NewPassword }),
  answer: SignedIn,
  reasons: ['tls_required', 'code_invalid', 'account_disabled', 'account_banned'],
});

export const startOidc = defineRoute({
  ...ofPeople,
  name: 'startOidc',
  summary: 'Go to the identity provider to sign in',
  method: 'GET',
  path: '/login/oidc',
  permission: 'anyone',
  idempotency: 'natural',
  query: z.strictObject({
    return_to: z
      .string()
      .max(RETURN_TO_MAX_CHARS)
      .regex(/^[\x20-\x7e]*$/, 'printable ASCII, percent-encoded')
      .optional()
      .meta({ description: 'Path of this village to come back to; / where it is left out or leads elsewhere' }),
  }),
  answer: { kind: 'redirect' },
  reasons: ['oidc_not_configured', 'tls_required'],
});

/** What the provider adds to the address is its own to choose; the library that reads it is strict. */
const CallbackQuery = z.looseObject({
  code: z.string().optional(),
  state: z.string().optional(),
  error: z.string().optional(),
});

export const finishOidc = defineRoute({
  ...ofPeople,
  name: 'finishOidc',
  summary:
    'The identity provider sends the browser back here: sign in and go on. A browser is sent to /?login_error=CODE where that fails',
  method: 'GET',
  path: '/login/oidc/callback',
  permission: 'anyone',
  idempotency: 'natural',
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

export const logOut = defineRoute({
  ...ofPeople,
  name: 'logOut',
  summary: 'End this session',
  method: 'POST',
  path: '/logout',
  permission: 'account:self',
  idempotency: 'natural',
  answer: { kind: 'json', schema: z.strictObject({ signed_out: z.literal(true) }) },
  reasons: [],
});
