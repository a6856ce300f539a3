import { readFile } from 'node:fs/promises';
import type * as OpenIdClient from 'openid-client';
import { UnavailableError } from '../http/respond.ts';
import type { Log } from '../service/log.ts';
import { accountNameOf, groupsOf, type OidcSettings } from './oidc-settings.ts';

const TIMEOUT_S = 10;
export const CALLBACK_PATH = '/api/v1/login/oidc/callback';
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

export interface Pending {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

export interface VouchedPerson {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  readonly groups: readonly string[];
}

type Library = typeof OpenIdClient;

interface Provider {
  readonly library: Library;
  readonly configuration: OpenIdClient.Configuration;
}

async function discover(settings: OidcSettings): Promise<Provider> {
  const library = await import('openid-client');
  const secret =
    settings.clientSecretFile === undefined ? undefined : (await readFile(settings.clientSecretFile, 'utf8')).trim();
  // Plain http would expose codes and tokens to the network, so only loopback may use it.
  const execute = LOOPBACK.has(settings.issuer.hostname) ? [library.allowInsecureRequests] : [];
  const authentication = secret === undefined ? library.None() : library.ClientSecretBasic(secret);
  const configuration = await library.discovery(settings.issuer, settings.clientId, secret, authentication, {
    execute,
    timeout: TIMEOUT_S,
  });
  return { library, configuration };
}

async function vouchedPerson(
  { library, configuration }: Provider,
  callback: URL,
  { pending, groupsClaim }: { readonly pending: Pending; readonly groupsClaim: string },
): Promise<VouchedPerson | null> {
  const { state: expectedState, nonce: expectedNonce, codeVerifier: pkceCodeVerifier } = pending;
  const tokens = await library.authorizationCodeGrant(configuration, callback, {
    pkceCodeVerifier,
    expectedState,
    expectedNonce,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) return null;
  // Some providers name groups in the id token, others only at their userinfo endpoint.
  const hasAll = claims[groupsClaim] !== undefined && claims['preferred_username'] !== undefined;
  const more =
    hasAll || configuration.serverMetadata().userinfo_endpoint === undefined
      ? {}
      : await library.fetchUserInfo(configuration, tokens.access_token, claims.sub);
  const all: Readonly<Record<string, unknown>> = { ...more, ...claims };
  return { issuer: claims.iss, subject: claims.sub, name: accountNameOf(all), groups: groupsOf(all[groupsClaim]) };
}

/** Loads configuration and library at the first use, because most villages have no provider. */
export function createIdentityProvider(settings: OidcSettings, log: Log) {
  const redirectUri = new URL(CALLBACK_PATH, settings.publicUrl).href;
  let found: Promise<Provider> | null = null;

  async function ready(): Promise<Provider> {
    found ??= discover(settings);
    try {
      return await found;
    } catch (error) {
      found = null;
      log('warn', 'the identity provider is unreachable', { issuer: settings.issuer.href, error });
      throw new UnavailableError('The identity provider is unreachable; try again', { cause: error });
    }
  }

  return {
    /** The URL for the browser, and the state to store meanwhile. Throws UnavailableError if the provider is unreachable. */
    begin: async () => {
      const { library, configuration } = await ready();
      const pending: Pending = {
        state: library.randomState(),
        nonce: library.randomNonce(),
        codeVerifier: library.randomPKCECodeVerifier(),
      };
      const url = library.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: settings.scope,
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await library.calculatePKCECodeChallenge(pending.codeVerifier),
        code_challenge_method: 'S256',
      });
      return { ...pending, url: url.href };
    },
    /** Exchanges the code of a callback; null if the provider refuses, or if the callback does not match the pending sign-in. */
    finish: async (query: URLSearchParams, pending: Pending) => {
      const provider = await ready();
      const callback = new URL(redirectUri);
      callback.search = query.toString();
      try {
        return await vouchedPerson(provider, callback, { pending, groupsClaim: settings.groupsClaim });
      } catch (error) {
        if (isAbsence(error))
          throw new UnavailableError('The identity provider is unreachable; try again', { cause: error });
        log('warn', 'the identity provider refused a sign-in', { issuer: settings.issuer.href, error });
        return null;
      }
    },
  };
}

export type IdentityProvider = ReturnType<typeof createIdentityProvider>;

/** True if the provider is unreachable or failing. Any other error means that it refused or that its answer failed a check. */
function isAbsence(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (code === 'OAUTH_TIMEOUT') return true;
  return error instanceof TypeError && /fetch failed/.test(error.message);
}
