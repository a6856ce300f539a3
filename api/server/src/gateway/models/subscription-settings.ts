import { z } from 'zod';

const Url = z.url({ protocol: /^https?$/, error: 'write an http or https address' });

export const SubscriptionSettings = z.strictObject({
  /** The OAuth client id of the village. The project provides none: the operator names one that they may use. */
  clientId: z.string().min(1, 'write the OAuth client id with which the village signs in').max(200),
  authorizeUrl: Url.default('https://auth.openai.com/oauth/authorize'),
  tokenUrl: Url.default('https://auth.openai.com/oauth/token'),
  /** If absent, removing the sign-in only deletes the tokens. */
  revokeUrl: Url.optional(),
  /** The redirect address that the client is registered with. The browser ends there; the page need not exist. */
  redirectUri: Url.default('http://localhost:1455/auth/callback'),
  scope: z.string().max(500).default('openid profile email offline_access'),
  /** The address up to the path `/responses`. */
  baseUrl: Url.default('https://chatgpt.com/backend-api/codex'),
});
export type SubscriptionSettings = z.infer<typeof SubscriptionSettings>;
