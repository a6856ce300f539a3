import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exchangedToken, RENEW_BEFORE_MS } from './agent-token.ts';

const LIFE_MS = 300_000;

function setUp() {
  const state = { now: 0, exchanges: 0, broken: false };
  const exchange = async () => {
    if (state.broken) throw new Error('the API is down');
    state.exchanges += 1;
    return { access_token: `token ${state.exchanges}`, expires_at: new Date(state.now + LIFE_MS).toISOString() };
  };
  return { state, tokens: exchangedToken(exchange, () => state.now) };
}

test('concurrent requests share one exchange', async () => {
  const { tokens } = setUp();
  assert.deepEqual(await Promise.all([tokens.get(), tokens.get()]), ['token 1', 'token 1']);
});

test('a token is renewed once, before it expires', async () => {
  const { state, tokens } = setUp();
  await tokens.get();
  state.now = LIFE_MS - RENEW_BEFORE_MS - 1;
  assert.equal(await tokens.get(), 'token 1');
  state.now += 1;
  assert.deepEqual(await Promise.all([tokens.get(), tokens.get()]), ['token 2', 'token 2']);
});

test('a refused token is replaced', async () => {
  const { tokens } = setUp();
  await tokens.get();
  tokens.renew();
  assert.equal(await tokens.get(), 'token 2');
});

test('a failed exchange is not cached', async () => {
  const { state, tokens } = setUp();
  state.broken = true;
  await assert.rejects(tokens.get(), /down/);
  state.broken = false;
  assert.equal(await tokens.get(), 'token 1');
});
