import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { Time } from '../../values/scalars.ts';
import { ModelCredential, PROVIDER_NAME, PROVIDER_NAME_FORM } from './credentials.ts';
import { manageModels, ModelOffers, OwnerAgent } from './providers.ts';

const CALLBACK_CHARS_MAX = 8_000;

export const startSubscription = defineRoute('startSubscription POST /models/subscription/start', {
  ...manageModels,
  summary:
    'Begin a sign-in to a subscription: the admin opens the address, and finishes with the address that the browser ends at',
  idempotency: 'natural',
  body: z.strictObject({
    name: z.string().regex(PROVIDER_NAME, PROVIDER_NAME_FORM),
    agent_id: OwnerAgent.optional(),
    notice_accepted: z.literal(true, 'read the notice of GET /models/credentials, and write true to accept it'),
  }),
  answer: json(
    z.strictObject({
      authorize_url: z.string(),
      redirect_uri: z.string().describe('The browser ends here, with code and state; the page need not exist'),
      expires_at: Time,
    }),
  ),
  reasons: ['subscription_off', 'credentials_off', 'no_such_agent', 'provider_configured'],
});

export const finishSubscription = defineRoute('finishSubscription POST /models/subscription/finish', {
  ...manageModels,
  summary: 'Finish a sign-in to a subscription: its tokens are sealed, renewed before they end, and never returned',
  idempotency: 'natural',
  body: z.strictObject({
    callback: z.url('write the whole address that the browser ended at').max(CALLBACK_CHARS_MAX),
    models: ModelOffers,
  }),
  answer: json(z.strictObject({ credential: ModelCredential })),
  reasons: ['subscription_off', 'credentials_off', 'too_many_credentials', 'sign_in_unknown', 'sign_in_refused'],
});
