import { z } from 'zod';
import { defineRoute } from '../../route.ts';
import { EndedSessions, GivenPassword, NewPassword, ofPeople, SessionList, SignedIn } from './account.ts';

const mine = { ...ofPeople, permission: 'account:self' } as const;

export const getMe = defineRoute({
  ...mine,
  name: 'getMe',
  summary: 'Who is signed in',
  method: 'GET',
  path: '/me',
  idempotency: 'read',
  answer: SignedIn,
  reasons: [],
});

export const changePassword = defineRoute({
  ...mine,
  name: 'changePassword',
  summary: 'Change the own password; every other session ends, and this one gets a new cookie',
  method: 'POST',
  path: '/me/password',
  idempotency: 'natural',
  body: z.strictObject({ current_password: GivenPassword, new_password: NewPassword }),
  answer: SignedIn,
  reasons: ['session_needed', 'account_is_federated', 'credentials_wrong'],
});

export const listMySessions = defineRoute({
  ...mine,
  name: 'listMySessions',
  summary: 'The own open sessions, newest first',
  method: 'GET',
  path: '/me/sessions',
  idempotency: 'read',
  answer: { kind: 'json', schema: SessionList },
  reasons: ['session_needed'],
});

export const endMySession = defineRoute({
  ...mine,
  name: 'endMySession',
  summary: 'End one of the own sessions',
  method: 'DELETE',
  path: '/me/sessions/{session_id}',
  idempotency: 'natural',
  params: z.strictObject({ session_id: z.uuid() }),
  answer: { kind: 'json', schema: EndedSessions },
  reasons: ['session_needed', 'no_such_session'],
});

export const endMyOtherSessions = defineRoute({
  ...mine,
  name: 'endMyOtherSessions',
  summary: 'End all of the own sessions but this one',
  method: 'DELETE',
  path: '/me/sessions',
  idempotency: 'natural',
  answer: { kind: 'json', schema: EndedSessions },
  reasons: ['session_needed'],
});
