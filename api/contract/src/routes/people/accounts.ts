import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { NEXT_CURSOR, paging, Time } from '../../values/scalars.ts';
import {
  ACCOUNT_ROLES,
  AccountDetail,
  AccountName,
  AdminReason,
  CodeGrant,
  EndedSessions,
  ofPeople,
  SessionList,
} from './account.ts';

const PAGE_DEFAULT = 50;

const OneAccount = json(z.strictObject({ account: AccountDetail }));

export const listAccounts = defineRoute('listAccounts GET /accounts', {
  ...ofPeople,
  summary: 'Accounts by name',
  permission: 'accounts:read',
  query: z.strictObject({ ...paging({ max: 200, cursorChars: 512, limit: PAGE_DEFAULT }) }),
  answer: json(z.strictObject({ accounts: z.array(AccountDetail), ...NEXT_CURSOR })),
  reasons: ['cursor_invalid'],
});

export const getAccount = defineRoute('getAccount GET /accounts/{account_id}', {
  ...ofPeople,
  summary: 'One account',
  permission: 'accounts:read',
  answer: OneAccount,
  reasons: ['no_such_account'],
});

export const getAccountName = defineRoute('getAccountName GET /accounts/{account_id}/name', {
  ...ofPeople,
  summary: 'The name of an account, for pages that know its id',
  permission: 'accounts:name',
  answer: json(z.strictObject({ name: AccountName })),
  reasons: ['no_such_account'],
});

export const createAccount = defineRoute('createAccount POST /accounts', {
  ...ofPeople,
  summary: 'Create an account; the answer has a one-time code with which the person sets a password',
  permission: 'accounts:change',
  // A retry cannot create a second account, because names are unique; the API does not store the answer, because it
  // contains a secret code.
  idempotency: 'natural',
  body: z.strictObject({ name: AccountName, role: z.enum(ACCOUNT_ROLES) }),
  status: 201,
  answer: json(z.strictObject({ account: AccountDetail, invitation: CodeGrant.nullable() })),
  reasons: ['account_exists'],
});

export const changeAccount = defineRoute('changeAccount PATCH /accounts/{account_id}', {
  ...ofPeople,
  summary: 'Change the role of an account, disable it and end its sessions, or enable it again',
  permission: 'accounts:change',
  body: z.strictObject({ role: z.enum(ACCOUNT_ROLES).optional(), disabled: z.boolean().optional() }),
  answer: OneAccount,
  reasons: ['no_such_account', 'last_admin', 'account_is_federated'],
});

export const resetPassword = defineRoute('resetPassword POST /accounts/{account_id}/password-reset', {
  ...ofPeople,
  summary:
    'Remove the password of an account and end its sessions; the answer has a one-time code with which the person sets another',
  permission: 'accounts:change',
  idempotency: 'natural',
  answer: json(z.strictObject({ account: AccountDetail, reset: CodeGrant })),
  reasons: ['no_such_account', 'account_is_federated'],
});

export const listAccountSessions = defineRoute('listAccountSessions GET /accounts/{account_id}/sessions', {
  ...ofPeople,
  summary: 'The open sessions of an account, newest first',
  permission: 'accounts:read',
  answer: json(SessionList),
  reasons: ['no_such_account'],
});

export const endAccountSessions = defineRoute('endAccountSessions DELETE /accounts/{account_id}/sessions', {
  ...ofPeople,
  summary: 'End every session of an account',
  permission: 'accounts:change',
  answer: json(EndedSessions),
  reasons: ['no_such_account'],
});

export const banAccount = defineRoute('banAccount POST /accounts/{account_id}/ban', {
  ...ofPeople,
  summary:
    'Ban a person: from then on the API refuses their requests and closes their sockets; replaces an earlier ban',
  permission: 'accounts:ban',
  body: z.strictObject({
    reason: AdminReason.meta({ example: 'insults agents' }),
    expires_at: Time.optional().describe('End of the measure; by default it lasts until it is lifted'),
  }),
  answer: OneAccount,
  reasons: ['no_such_account', 'last_admin', 'expiry_in_the_past'],
});

export const liftAccountBan = defineRoute('liftAccountBan DELETE /accounts/{account_id}/ban', {
  ...ofPeople,
  summary: 'Lift the ban of a person; no change if there is none',
  permission: 'accounts:ban',
  query: z.strictObject({ reason: AdminReason.optional() }),
  answer: OneAccount,
  reasons: ['no_such_account'],
});
