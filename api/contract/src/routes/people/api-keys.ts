import { z } from 'zod';
import { KEY_SCOPES } from '../../http/key-scopes.ts';
import { defineRoute, json } from '../../http/route.ts';
import { plainText, Time } from '../../values/scalars.ts';
import { ofPeople } from './account.ts';

/** Begins the keys of people. */
export const ACCOUNT_KEY_PREFIX = 'hk_';
export const KEY_DAYS_MAX = 365;
/** An identity provider does not announce that a person has left, so their keys end sooner. */
export const FEDERATED_KEY_DAYS_MAX = 30;
export const KEYS_OF_PERSON_MAX = 20;
export const KEY_NAME_MAX_CHARS = 64;

const KeyScopes = z.array(z.enum(KEY_SCOPES)).min(1).max(KEY_SCOPES.length);

export const ApiKeyView = z.strictObject({
  key_id: z.uuid().describe('Not a credential'),
  name: z.string(),
  scopes: z.array(z.string()),
  created_at: Time,
  expires_at: Time,
  last_used_at: Time.nullable().describe('To the minute; null before its first use'),
});
export type ApiKeyView = z.infer<typeof ApiKeyView>;

const mine = { ...ofPeople, permission: 'account:self' } as const;

export const listMyKeys = defineRoute('listMyKeys GET /me/keys', {
  ...mine,
  summary: 'Your API keys, newest first; expired ones for 30 days',
  answer: json(z.strictObject({ keys: z.array(ApiKeyView).max(KEYS_OF_PERSON_MAX) })),
  reasons: ['session_needed'],
});

export const createMyKey = defineRoute('createMyKey POST /me/keys', {
  ...mine,
  summary: 'Create an API key, with which a program acts as you within its scopes; only this answer has the key itself',
  // A retry cannot create a second key, because names are unique; the API does not store the answer, because it
  // contains the key.
  idempotency: 'natural',
  body: z.strictObject({
    name: plainText(KEY_NAME_MAX_CHARS).meta({ example: 'backup script' }),
    scopes: KeyScopes,
    days: z.int().min(1).max(KEY_DAYS_MAX).describe('Days until the key expires'),
  }),
  status: 201,
  answer: json(z.strictObject({ key: ApiKeyView, token: z.string().describe('The key: send it as a bearer token') })),
  reasons: ['session_needed', 'scope_not_yours', 'key_lives_too_long', 'key_exists', 'too_many_keys'],
});

export const revokeMyKey = defineRoute('revokeMyKey DELETE /me/keys/{key_id}', {
  ...mine,
  summary: 'Revoke an API key: the API refuses it at once',
  idempotency: 'natural',
  answer: json(z.strictObject({ revoked: z.literal(true) })),
  reasons: ['session_needed', 'no_such_key'],
});
