import { z } from 'zod';
import { openText, sealText, type SealedFor } from '../credentials/envelope.ts';
import type { VillageKeys } from '../credentials/village-keys.ts';

export const SIGN_IN_MS = 10 * 60_000;

const SignIn = z.strictObject({
  name: z.string(),
  agentId: z.string().nullable(),
  /** The admin who began the sign-in. No other admin may finish it. */
  by: z.string(),
  /**
   * The PKCE verifier, which proves that the code goes to the village that asked for it. It leaves the API only sealed.
   */
  verifier: z.string(),
  expiresAtMs: z.number(),
});
export type SignIn = z.infer<typeof SignIn>;

const OWNER: SealedFor = { name: 'sign-in', agentId: null, address: 'state' };

/** The sign-in as the `state` of OAuth: sealed, so that any replica can finish it and nothing has to be stored. */
export function sealState(signIn: SignIn, keys: VillageKeys): string | null {
  const key = keys.current();
  if (key === null) return null;
  const { keyId, sealedDataKey, sealed } = sealText(JSON.stringify(signIn), OWNER, key);
  return [Buffer.from(keyId), sealedDataKey, sealed].map((part) => part.toString('base64url')).join('.');
}

export function openState(state: string, keys: VillageKeys): SignIn | null {
  const [id, sealedDataKey, sealed, ...more] = state.split('.').map((part) => Buffer.from(part, 'base64url'));
  if (id === undefined || sealedDataKey === undefined || sealed === undefined || more.length > 0) return null;
  const key = keys.find(id.toString());
  if (key === null) return null;
  try {
    const text = openText({ keyId: key.id, sealedDataKey, sealed }, OWNER, key);
    return SignIn.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
