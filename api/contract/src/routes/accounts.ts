import { z } from 'zod';
import { defineRoute } from '../route.ts';
import { Time } from './scalars.ts';

export const PASSWORD_MIN_CHARS = 12;
const PASSWORD_MAX_CHARS = 256;
const AccountName = z.string().min(1).max(64).regex(/^[\p{L}\p{N}._@ -]+$/u, 'letters, digits, spaces and . _ @ - only');

export const Account = z.strictObject({ account_id: z.string(), name: z.string(), role: z.enum(['member', 'admin']), created_at: Time });
export type Account = z.infer<typeof Account>;

const SignedIn = { kind: 'json', schema: z.strictObject({ account: Account }) } as const;
const ofPeople = { tag: 'accounts', placement: 'versioned', audiences: ['people'] } as const;

export const bootstrapAccount = defineRoute({
  ...ofPeople,
  name: 'bootstrapAccount',
  summary: 'Make the first admin with the one-time code, and sign in',
  method: 'POST',
  path: '/accounts/bootstrap',
  permission: 'anyone',
  idempotency: 'natural',
  body: z.strictObject({
    code: z.string().min(1).max(256),
    name: AccountName,
    password: z.string().min(PASSWORD_MIN_CHARS).max(PASSWORD_MAX_CHARS),
  }),
  status: 201,
  answer: SignedIn,
  reasons: ['tls_required', 'bootstrap_closed', 'bootstrap_code_wrong'],
});

export const logIn = defineRoute({
  ...ofPeople,
  name: 'logIn',
  summary: 'Sign in; the session comes as a cookie',
  method: 'POST',
  path: '/login',
  permission: 'anyone',
  idempotency: 'natural',
  body: z.strictObject({ name: AccountName, password: z.string().min(1).max(PASSWORD_MAX_CHARS) }),
  answer: SignedIn,
  reasons: ['tls_required', 'credentials_wrong'],
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

export const getMe = defineRoute({
  ...ofPeople,
  name: 'getMe',
  summary: 'Who is signed in',
  method: 'GET',
  path: '/me',
  permission: 'account:self',
  idempotency: 'read',
  answer: SignedIn,
  reasons: [],
});
