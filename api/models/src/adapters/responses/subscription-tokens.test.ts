import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { faultIn } from '../../chat/model-error.ts';
import { createModel } from '../../routing/create-model.ts';
import { startWireServer, type WireServer } from '../../testing/wire-server.ts';
import { RESPONSES_WIRE } from '../../testing/wires/responses-wire.ts';
import { json } from '../../testing/wires/wire.ts';
import { ANSWER_LIMITS } from '../../transport/answer-limits.ts';
import { SYSTEM_PORTS } from '../../transport/model-ports.ts';
import { createSubscriptionAdapter } from './subscription-adapter.ts';
import { createSubscriptionTokens } from './subscription-tokens.ts';
import type { OAuthTokens } from './oauth-requests.ts';

const KIT = { limits: ANSWER_LIMITS, ports: SYSTEM_PORTS };
const OLD: OAuthTokens = {
  accessToken: 'access-old-012345',
  refreshToken: 'refresh-old-012345',
  accountId: 'acc-1',
  expiresAtMs: null,
};

let server: WireServer;
before(async () => {
  server = await startWireServer();
});
after(() => server.close());

function signedIn(tokens: OAuthTokens | null) {
  const saved: OAuthTokens[] = [];
  const store = {
    load: async () => saved.at(-1) ?? tokens,
    replace: async (next: (stored: OAuthTokens) => Promise<OAuthTokens>) => {
      const before = saved.at(-1) ?? tokens;
      if (before === null) return null;
      const after = await next(before);
      if (after !== before) saved.push(after);
      return after;
    },
  };
  const oauth = { tokenUrl: `${server.url}/oauth/token`, clientId: 'app-1' };
  return { saved, tokens: createSubscriptionTokens(store, oauth, KIT) };
}

const REFRESHED = {
  name: 'refresh',
  expect: {
    path: '/oauth/token',
    body: 'grant_type=refresh_token&refresh_token=refresh-old-012345&client_id=app-1',
  },
  answer: json({ access_token: 'access-new-012345', refresh_token: 'refresh-new-012345', token_type: 'Bearer' }),
};

test('a refused token is renewed once and saved, and the request is repeated with it', async () => {
  const { saved, tokens } = signedIn(OLD);
  const adapter = createSubscriptionAdapter({ provider: 'personal', baseUrl: server.url, tokens }, KIT);
  const model = createModel({
    targets: [{ adapter, model: 'gpt-5', price: null }],
    fallbackOn: [],
    retry: { attempts: 1, firstDelayMs: 1, maxDelayMs: 1 },
    ...KIT,
  });
  server.add(
    { expect: { headers: { authorization: 'Bearer access-old-012345' } }, answer: RESPONSES_WIRE.errors.auth },
    REFRESHED,
    {
      expect: { headers: { authorization: 'Bearer access-new-012345', 'chatgpt-account-id': 'acc-1' } },
      answer: RESPONSES_WIRE.plain({ text: ['yes'] }),
    },
  );
  const outcome = await model.chat({ messages: [{ role: 'user', content: 'Hello' }] });
  assert.ok(outcome.ok);
  assert.equal(outcome.answer.content, 'yes');
  assert.deepEqual(saved, [{ ...OLD, accessToken: 'access-new-012345', refreshToken: 'refresh-new-012345' }]);
  server.verify();
});

test('concurrent callers share one renewal, and a token that another process renewed is used', async () => {
  const { saved, tokens } = signedIn(OLD);
  const { signal } = new AbortController();
  server.add(REFRESHED);
  const renewed = await Promise.all([tokens.renew(OLD, signal), tokens.renew(OLD, signal)]);
  assert.equal(renewed[0], renewed[1]);
  assert.deepEqual(await tokens.renew(OLD, signal), saved[0]);
  server.verify();
});

test('if the provider refuses the refresh token, the error asks a person to sign in again', async () => {
  const { saved, tokens } = signedIn(OLD);
  server.add({ answer: json({ error: 'invalid_grant', error_description: 'expired' }, 400) });
  await assert.rejects(tokens.renew(OLD, new AbortController().signal), (thrown) => {
    const fault = faultIn(thrown);
    assert.deepEqual([fault?.code, /sign in/.test(fault?.message ?? '')], ['auth', true]);
    return true;
  });
  assert.deepEqual(saved, []);
  await assert.rejects(signedIn(null).tokens.current(), /sign in/);
});

test('tokens are renewed before they expire, and remain in use while the server is down', async () => {
  const nowMs = SYSTEM_PORTS.nowMs();
  const soon = signedIn({ ...OLD, expiresAtMs: nowMs + 60_000 });
  server.add(REFRESHED);
  assert.equal((await soon.tokens.current()).accessToken, 'access-new-012345');
  const away = signedIn({ ...OLD, expiresAtMs: nowMs + 60_000 });
  server.add({ answer: json({ error: 'server_error' }, 503) });
  assert.equal((await away.tokens.current()).accessToken, OLD.accessToken);
  const over = signedIn({ ...OLD, expiresAtMs: nowMs - 1 });
  server.add({ answer: json({ error: 'server_error' }, 503) });
  await assert.rejects(over.tokens.current(), (thrown) => faultIn(thrown)?.code === 'overloaded');
  const later = signedIn({ ...OLD, expiresAtMs: nowMs + 3_600_000 });
  assert.equal((await later.tokens.current()).accessToken, OLD.accessToken);
  server.verify();
});
