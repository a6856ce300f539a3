import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { AccountName, EndedSessions, GivenPassword, NewPassword, ofPeople, SessionList, SignedIn } from './account.ts';

const mine = { ...ofPeople, permission: 'account:self' } as const;

/** A name that people choose for themselves. It has no spaces that a reader cannot see. */
const ChosenName = AccountName.regex(/^\S+(?: \S+)*$/, 'write no space at an end, and single ones between words').regex(
  /^[^\u115F\u1160\u3164\uFFA0]*$/,
  'write letters that one sees',
);

export const getMe = defineRoute('getMe GET /me', {
  ...mine,
  permission: 'account:read',
  summary: 'The account of the caller',
  answer: SignedIn,
});

export const renameMe = defineRoute('renameMe PATCH /me', {
  ...mine,
  summary: 'Change your name, with which you also sign in; earlier texts and the audit keep your earlier name',
  idempotency: 'natural',
  body: z.strictObject({ name: ChosenName }),
  answer: SignedIn,
  reasons: ['session_needed', 'account_is_federated', 'account_exists'],
});

export const changePassword = defineRoute('changePassword POST /me/password', {
  ...mine,
  summary: 'Change your password; your other sessions end, and this one gets a new cookie',
  idempotency: 'natural',
  body: z.strictObject({ current_password: GivenPassword, new_password: NewPassword }),
  answer: SignedIn,
  reasons: ['session_needed', 'account_is_federated', 'credentials_wrong'],
});

export const listMySessions = defineRoute('listMySessions GET /me/sessions', {
  ...mine,
  summary: 'Your open sessions, newest first',
  answer: json(SessionList),
  reasons: ['session_needed'],
});

export const endMySession = defineRoute('endMySession DELETE /me/sessions/{session_id}', {
  ...mine,
  summary: 'End one of your sessions',
  idempotency: 'natural',
  answer: json(EndedSessions),
  reasons: ['session_needed', 'no_such_session'],
});

export const endMyOtherSessions = defineRoute('endMyOtherSessions DELETE /me/sessions', {
  ...mine,
  summary: 'End all your sessions but this one',
  idempotency: 'natural',
  answer: json(EndedSessions),
  reasons: ['session_needed'],
});
