import { z } from 'zod';
import { defineRoute } from '../../route.ts';
import { Time } from '../scalars.ts';
import {
  ACCOUNT_ROLES,
  AccountDetail,
  AccountName,
  AccountParams,
  AdminReason,
  CodeGrant,
  EndedSessions,
  ofPeople,
  SessionList,
} from './account.ts';

const PAGE_DEFAULT = 50;
const PAGE_MAX = 200;

const OneAccount = { kind: 'json', schema: z.strictObject({ account: AccountDetail }) } as const;
const ofOne = { ...ofPeople, params: AccountParams } as const;

export const listAccounts = defineRoute({
  ...ofPeople,
  name: 'listAccounts',
  summary: 'Accounts of people by name',
  method: 'GET',
  path: '/accounts',
  permission: 'accounts:read',
  idempotency: 'read',
  query: z.strictObject({
    cursor: z.string().max(512).optional(),
    limit: z.coerce.number().int().min(1).max(PAGE_MAX).default(PAGE_DEFAULT),
  }),
  answer: {
    kind: 'json',
    schema: z.strictObject({ accounts: z.array(AccountDetail), next_cursor: z.string().nullable() }),
  },
  reasons: ['cursor_invalid'],
});

export const getAccount = defineRoute({
  ...ofOne,
  name: 'getAccount',
  summary: 'One account',
  method: 'GET',
  path: '/accounts/{account_id}',
  permission: 'accounts:read',
  idempotency: 'read',
  answer: OneAccount,
  reasons: ['no_such_account'],
});

export const createAccount = defineRoute({
  ...ofPeople,
  name: 'createAccount',
  summary: 'Make an account; the answer holds a one-time code, with which the person sets a password',
  method: 'POST',
  path: '/accounts',
  permission: 'accounts:change',
  // A name is made once, and the code is a secret: the answer is not kept.
  idempotency: 'natural',
  body: z.strictObject({ name: AccountName, role: z.enum(ACCOUNT_ROLES) }),
  status: 201,
  answer: { kind: 'json', schema: z.strictObject({ account: AccountDetail, invitation: CodeGrant.nullable() }) },
  reasons: ['account_exists'],
});

export const changeAccount = defineRoute({
  ...ofOne,
  name: 'changeAccount',
  summary: 'Change the role of an account, disable it (its sessions end) or enable it again',
  method: 'PATCH',
  path: '/accounts/{account_id}',
  permission: 'accounts:change',
  idempotency: 'key',
  body: z.strictObject({ role: z.enum(ACCOUNT_ROLES).optional(), disabled: z.boolean().optional() }),
  answer: OneAccount,
  reasons: ['no_such_account', 'last_admin', 'account_is_federated'],
});

export const resetPassword = defineRoute({
  ...ofOne,
  name: 'resetPassword',
  summary:
    'Take an account its password and its sessions; the answer holds a one-time code, with which the person sets another',
  method: 'POST',
  path: '/accounts/{account_id}/password-reset',
  permission: 'accounts:change',
  idempotency: 'natural',
  answer: { kind: 'json', schema: z.strictObject({ account: AccountDetail, reset: CodeGrant }) },
  reasons: ['no_such_account', 'account_is_federated'],
});

export const listAccountSessions = defineRoute({
  ...ofOne,
  name: 'listAccountSessions',
  summary: 'The open sessions of an account, newest first',
  method: 'GET',
  path: '/accounts/{account_id}/sessions',
  permission: 'accounts:read',
  idempotency: 'read',
  answer: { kind: 'json', schema: SessionList },
  reasons: ['no_such_account'],
});

export const endAccountSessions = defineRoute({
  ...ofOne,
  name: 'endAccountSessions',
  summary: 'End every session of an account',
  method: 'DELETE',
  path: '/accounts/{account_id}/sessions',
  permission: 'accounts:change',
  idempotency: 'key',
  answer: { kind: 'json', schema: EndedSessions },
  reasons: ['no_such_account'],
});

export const banAccount = defineRoute({
  ...ofOne,
  name: 'banAccount',
  summary:
    'Ban a person: from the commit on everything they ask is refused, and their sockets end; a ban taken again replaces the one that holds',
  method: 'POST',
  path: '/accounts/{account_id}/ban',
  permission: 'accounts:ban',
  idempotency: 'key',
  body: z.strictObject({
    reason: AdminReason.meta({ example: 'insults agents' }),
    expires_at: Time.optional().meta({
      description: 'When it ends by itself; it holds until it is lifted where this is left out',
    }),
  }),
  answer: OneAccount,
  reasons: ['no_such_account', 'last_admin', 'expiry_in_the_past'],
});

export const liftAccountBan = defineRoute({
  ...ofOne,
  name: 'liftAccountBan',
  summary: 'Lift the ban of a person; lifting what does not hold changes nothing',
  method: 'DELETE',
  path: '/accounts/{account_id}/ban',
  permission: 'accounts:ban',
  idempotency: 'key',
  query: z.strictObject({ reason: AdminReason.optional() }),
  answer: OneAccount,
  reasons: ['no_such_account'],
});
