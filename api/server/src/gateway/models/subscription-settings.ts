import { z } from 'zod';

const Url = z.url({ protocol: /^https?$/, error: 'write an http or https address' });

export const SubscriptionSettings = z.strictObject({
  /** The client as which the village signs in. The project brings none: the operator names one that they may use. */
  clientId: z.string().min(1, 'write the id of the client as which the village signs in').max(200),
  authorizeUrl: Url.default('https://auth.openai.com/oauth/authorize'),
  tokenUrl: Url.default('https://auth.openai.com/oauth/token'),
  /** Absent: a removal only deletes the tokens. */
  revokeUrl: Url.optional(),
  /** An address that the client is registered with. The browser ends there; the page need not exist. */
  redirectUri: Url.default('http://localhost:1455/auth/callback'),
  scope: z.string().max(500).default('openid profile email offline_access'),
  /** The address up to the path `/responses`. */
  baseUrl: Url.default('https://chatgpt.com/backend-api/codex'),
});
export type SubscriptionSettings = z.infer<typeof SubscriptionSettings>;
