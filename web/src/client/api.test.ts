import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, getMe, listAgents } from '@hamlet/contract';
import { createApi } from './api.ts';

/** A fetch that never answers; it ends only when it is aborted, as a dead connection does. */
const silent: typeof fetch = (_url, init) =>
  new Promise((_resolve, reject) => {
    const signal = init?.signal ?? AbortSignal.abort();
    const end = (): void => reject(new Error('aborted', { cause: signal.reason }));
    if (signal.aborted) end();
    signal.addEventListener('abort', end);
  });
const clientOf = (answer: typeof fetch): ReturnType<typeof createClient> =>
  createClient({ baseUrl: 'http://village', fetch: answer });

test('a call that hangs ends as a refusal that says so', async () => {
  const reply = await createApi({ client: clientOf(silent), timeoutMs: 20 }).call(listAgents, {});
  assert.ok(!reply.ok);
  assert.equal(reply.refused.code, 'unreachable');
  assert.match(reply.refused.detail, /within 0\.02 s/);
});

test('whoever leaves aborts the call', async () => {
  const leaving = new AbortController();
  const asked = createApi({ client: clientOf(silent) }).call(listAgents, { signal: leaving.signal });
  leaving.abort();
  assert.ok(!(await asked).ok);
});

test('a refusal is heard with its route', async () => {
  const heard: string[] = [];
  const problem = {
    type: 'about:blank',
    title: 'Not signed in',
    status: 401,
    code: 'unauthenticated',
    detail: 'Sign in',
    request_id: 'r1',
  };
  const api = createApi({
    client: clientOf(() => Promise.resolve(new Response(JSON.stringify(problem), { status: 401 }))),
    onRefused: ({ name }, { code }) => heard.push(`${name} ${code}`),
  });
  const reply = await api.call(getMe, {});
  assert.ok(!reply.ok);
  assert.deepEqual(heard, ['getMe unauthenticated']);
});
