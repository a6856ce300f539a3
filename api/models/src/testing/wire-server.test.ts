import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startWireServer, type WireServer } from './wire-server.ts';
import { json } from './wires/wire.ts';

async function withServer(server: WireServer, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } finally {
    await server.close();
  }
}

const post = (server: WireServer, path: string, body: object): Promise<Response> =>
  fetch(`${server.url}${path}`, { method: 'POST', body: JSON.stringify(body) });

test('steps are used in order, and verify fails if one is left', async () => {
  const server = await startWireServer([
    { expect: { path: '/a', body: { model: 'm' } }, answer: json({ n: 1 }) },
    { answer: ({ path }) => json({ path }) },
  ]);
  await withServer(server, async () => {
    assert.deepEqual(await (await post(server, '/a', { model: 'm', more: 1 })).json(), { n: 1 });
    assert.throws(() => server.verify(), /step 2/);
    assert.deepEqual(await (await post(server, '/b', {})).json(), { path: '/b' });
    server.verify();
  });
});

test('a request that does not match is refused and reported, and its step stays unused', async () => {
  const server = await startWireServer([{ expect: { path: '/a' }, answer: json({}) }]);
  await withServer(server, async () => {
    assert.equal((await post(server, '/b', {})).status, 400);
    assert.throws(() => server.verify(), /step 1 did not match/);
  });
});

test('a request after the last step is refused and reported', async () => {
  const server = await startWireServer();
  await withServer(server, async () => {
    assert.equal((await post(server, '/a', {})).status, 400);
    assert.throws(() => server.verify(), /unexpected request POST \/a/);
  });
});

test('otherwise answers requests outside the script', async () => {
  const otherwise = ({ path }: { readonly path: string }) => (path === '/v1/models' ? json({ data: [] }) : null);
  const server = await startWireServer([], { otherwise });
  await withServer(server, async () => {
    assert.equal((await fetch(`${server.url}/v1/models`)).status, 200);
    server.verify();
  });
});

test('an answer can break off', async () => {
  const server = await startWireServer([{ answer: { chunks: ['half', 'cut'] } }]);
  await withServer(server, async () => {
    const response = await post(server, '/a', {});
    await assert.rejects(response.text());
    server.verify();
  });
});
