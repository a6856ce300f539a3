import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { generateKeyPairSync } from 'node:crypto';
import Provider from 'oidc-provider';

export interface ProviderPerson {
  readonly sub: string;
  readonly preferred_username: string;
  readonly groups: readonly string[];
}

export const CLIENT = { id: 'hamlet', secret: 'a-secret-of-the-client' } as const;

/** A real OpenID provider in this process. Its login page signs `person` in without a question, or refuses. */
export interface TestIdentityProvider {
  readonly issuer: string;
  /** The person who signs in at the login page; null to cancel. */
  person: ProviderPerson | null;
  /** Number of code exchanges. */
  readonly trades: () => number;
  stop(): Promise<void>;
  start(): Promise<void>;
}

interface Seat {
  person: ProviderPerson | null;
}

function providerFor(issuer: string, redirectUri: string, people: Map<string, ProviderPerson>): Provider {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    pkce: { required: () => true },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'test' }] },
    cookies: { keys: ['test-cookie-key'] },
    features: { devInteractions: { enabled: false } },
    scopes: ['openid', 'profile', 'groups'],
    claims: { openid: ['sub'], profile: ['preferred_username'], groups: ['groups'] },
    findAccount: (_context: unknown, sub: string) => ({ accountId: sub, claims: () => ({ ...people.get(sub), sub }) }),
    interactions: { url: (_context: unknown, interaction: { uid: string }) => `/interaction/${interaction.uid}` },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, AuthorizationCode: 60, IdToken: 600 },
  });
}

/** Answers the login page and the consent page at once. */
async function interact(
  provider: Provider,
  seat: Seat,
  [request, response]: readonly [IncomingMessage, ServerResponse],
): Promise<void> {
  const details = await provider.interactionDetails(request, response);
  if (seat.person === null)
    return provider.interactionFinished(request, response, { error: 'access_denied', error_description: 'cancelled' });
  const accountId = seat.person.sub;
  if (details.prompt.name === 'login') return provider.interactionFinished(request, response, { login: { accountId } });
  const grant = new provider.Grant({ accountId, clientId: CLIENT.id });
  grant.addOIDCScope('openid profile groups');
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}

/** @param redirectUri the village's address to which the provider redirects people */
export async function startTestIdentityProvider(port: number, redirectUri: string): Promise<TestIdentityProvider> {
  const issuer = `http://127.0.0.1:${port}`;
  const people = new Map<string, ProviderPerson>();
  const seat: Seat = { person: null };
  const provider = providerFor(issuer, redirectUri, people);
  const serve = provider.callback();
  let trades = 0;
  let server: Server | null = null;

  function answer(request: IncomingMessage, response: ServerResponse): void {
    if (request.url === '/token') trades += 1;
    if (seat.person !== null) people.set(seat.person.sub, seat.person);
    if (request.url?.startsWith('/interaction/') !== true) return void serve(request, response);
    interact(provider, seat, [request, response]).catch((error: unknown) => response.writeHead(500).end(String(error)));
  }

  async function start(): Promise<void> {
    server = createServer(answer).listen(port, '127.0.0.1');
    await once(server, 'listening');
  }
  await start();
  return {
    issuer,
    get person() {
      return seat.person;
    },
    set person(person) {
      seat.person = person;
    },
    trades: () => trades,
    start,
    stop: async () => {
      server?.closeAllConnections();
      server?.close();
      server = null;
    },
  };
}
