import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { atEnd } from '@hamlet/test/env/at-end';
import { createOutboundFetch, type Resolve } from './outbound-fetch.ts';

/** Names for the test. `turns` has another address at the second look-up, as if an attacker ran its name server. */
let lookups = 0;
const resolve: Resolve = (host, _options, done) => {
  lookups += 1;
  const address = host === 'evil.test' || (host === 'turns.test' && lookups > 1) ? '169.254.169.254' : '127.0.0.1';
  const other = host === 'mixed.test' ? [{ address: 'fe80::1', family: 6 }] : [];
  done(null, [{ address, family: 4 }, ...other]);
};

const server = createServer((request, response) => {
  if (request.url === '/away') response.writeHead(302, { location: 'http://169.254.169.254/latest' });
  response.end(`${request.method} ${request.headers['authorization'] ?? ''}`);
});
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
const address = server.address();
const port = typeof address === 'object' && address !== null ? address.port : 0;
const fetch = createOutboundFetch(resolve);

atEnd(async () => {
  server.closeAllConnections();
  server.close();
});

function send(url: string) {
  const { signal } = new AbortController();
  const headers = { authorization: 'Bearer key', connection: 'close' };
  return fetch(url, { method: 'POST', headers, body: '{}', redirect: 'manual', signal });
}

test('a request goes to the address that was checked, with its headers and body', async () => {
  const { status, body } = await send(`http://good.test:${port}/`);
  assert.equal(status, 200);
  assert.equal(Buffer.concat(await Array.fromAsync(body ?? [])).toString(), 'POST Bearer key');
});

test('the name of a metadata server is refused at the connection, even if its address changes after the check', async () => {
  await assert.rejects(send(`http://evil.test:${port}/`), /169\.254\.169\.254/);
  await assert.rejects(send(`http://mixed.test:${port}/`), /fe80::1/);
  await assert.rejects(send('http://169.254.169.254/'), /link-local/);
  lookups = 0;
  assert.equal((await send(`http://turns.test:${port}/`)).status, 200);
  await assert.rejects(send(`http://turns.test:${port}/`), /169\.254/);
});

test('a redirect is not followed', async () => {
  assert.equal((await send(`http://good.test:${port}/away`)).status, 302);
});
