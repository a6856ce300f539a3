import { createHash, randomBytes } from 'node:crypto';
import { exchangeCode, type AdapterKit, type OAuthTokens } from '@hamlet/models';
import { CREDENTIALS_MAX, inTransaction, putCredential } from '@hamlet/store';
import { recordAct } from '../../audit/record-act.ts';
import { plain, type Handlers } from '../../http/handler.ts';
import { accepted, refused, type Outcome } from '../../http/outcome.ts';
import { ownerOf } from '../connections/connection.ts';
import { describedProvider } from '../connections/described-provider.ts';
import { credentialView, isConfiguredName, NO_USERS } from '../credentials/credential-view.ts';
import { sealText, openText, type SealedFor } from '../credentials/envelope.ts';
import type { VillageKeys } from '../credentials/village-keys.ts';
import type { SubscriptionSettings } from '../models/subscription-settings.ts';
import type { Village } from '../../village.ts';
import { z } from 'zod';

const SIGN_IN_MS = 10 * 60_000;

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
function sealState(signIn: SignIn, keys: VillageKeys): string | null {
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

const VERIFIER_BYTES = 48;

function authorizeUrl(
  settings: SubscriptionSettings,
  about: { readonly state: string; readonly verifier: string },
): string {
  const url = new URL(settings.authorizeUrl);
  const query = {
    response_type: 'code',
    client_id: settings.clientId,
    redirect_uri: settings.redirectUri,
    scope: settings.scope,
    code_challenge: createHash('sha256').update(about.verifier).digest('base64url'),
    code_challenge_method: 'S256',
    id_token_add_organizations: 'true',
    state: about.state,
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

function startSubscription({ source, gateway }: Village): Handlers['startSubscription'] {
  const { subscriptions, villageKeys, models } = gateway.credentials;
  return plain(async ({ body, actor, now }) => {
    const { settings } = subscriptions;
    if (settings === null) return refused('subscription_off');
    const { name, agent_id: agentId = null } = body;
    if (agentId !== null && source.get(agentId) === null) return refused('no_such_agent');
    if (isConfiguredName(name, models.config)) return refused('provider_configured');
    const verifier = randomBytes(VERIFIER_BYTES).toString('base64url');
    const expiresAtMs = now.getTime() + SIGN_IN_MS;
    const state = sealState({ name, agentId, by: actor.id, verifier, expiresAtMs }, villageKeys);
    if (state === null) return refused('credentials_off');
    return accepted({
      authorize_url: authorizeUrl(settings, { state, verifier }),
      redirect_uri: settings.redirectUri,
      expires_at: new Date(expiresAtMs).toISOString(),
    });
  });
}

interface SignInServer {
  readonly settings: SubscriptionSettings;
  readonly kit: AdapterKit;
  readonly keys: VillageKeys;
}

async function signedAt(
  callback: string,
  by: { readonly actorId: string; readonly nowMs: number },
  { settings, kit, keys }: SignInServer,
): Promise<Outcome<{ readonly signIn: SignIn; readonly tokens: OAuthTokens }>> {
  const { searchParams } = new URL(callback);
  const signIn = openState(searchParams.get('state') ?? '', keys);
  if (signIn === null || signIn.by !== by.actorId || signIn.expiresAtMs < by.nowMs) return refused('sign_in_unknown');
  const code = searchParams.get('code');
  const error = searchParams.get('error');
  if (code === null || error !== null)
    return refused(
      'sign_in_refused',
      `The provider did not complete the sign-in (${(error ?? 'without a code').slice(0, 100)}): begin it again`,
    );
  const granted = { code, verifier: signIn.verifier, redirectUri: settings.redirectUri };
  const signed = await exchangeCode(granted, settings, kit);
  if (!signed.ok) return refused('sign_in_refused', `The provider refuses the sign-in: ${signed.message}`);
  return accepted({ signIn, tokens: signed.tokens });
}

function finishSubscription({ db, gateway }: Village): Handlers['finishSubscription'] {
  const { subscriptions, villageKeys: keys, stored } = gateway.credentials;
  return plain(async (request) => {
    const { settings, kit } = subscriptions;
    const villageKey = keys.current();
    if (settings === null) return refused('subscription_off');
    if (villageKey === null) return refused('credentials_off');
    const by = { actorId: request.actor.id, nowMs: request.now.getTime() };
    const signed = await signedAt(request.body.callback, by, { settings, kit, keys });
    if (!signed.ok) return signed;
    const { name, agentId } = signed.data.signIn;
    const { models } = request.body;
    const provider = describedProvider({ kind: 'openai-subscription', base_url: settings.baseUrl, models });
    const envelope = sealText(JSON.stringify(signed.data.tokens), ownerOf({ name, agentId, provider }), villageKey);
    const next = { name, agentId, envelope, provider, prices: null, fingerprint: null, createdBy: request.actor.id };
    const row = await inTransaction(db, async (tx) => {
      const put = await putCredential(tx, next);
      const detail = { agent_id: agentId, key_id: villageKey.id, provider };
      if (put !== null) await recordAct(tx, request, { action: 'models.subscription_put', object: name, detail });
      return put;
    });
    if (row === null)
      return refused('too_many_credentials', `A village stores at most ${CREDENTIALS_MAX} credentials: remove one`);
    await stored.refresh();
    return accepted({ credential: credentialView(row, NO_USERS) });
  });
}

export function subscriptionHandlers(village: Village) {
  return {
    startSubscription: startSubscription(village),
    finishSubscription: finishSubscription(village),
  } satisfies Partial<Handlers>;
}
