/** Answers of HTTP MCP servers: the authorities that are trusted, exact integers, and the limits of an answer. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer as createPlainServer, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { listenOnLoopback } from '@hamlet/test/env/net/loopback';
import { testFolder } from '@hamlet/test/env/at-end';
import { selfSigned } from '../testing/self-signed.ts';
import { webFetch } from './web-fetch.ts';

const folder = testFolder('trust');
const [key, certificate] = selfSigned(folder, ['DNS:localhost', 'IP:127.0.0.1']);

test("the village's authority is trusted if its file exists; without the file only public authorities are", async () => {
  const pair = { key: readFileSync(key), cert: readFileSync(certificate) };
  const server = createServer(pair, (_request, response) => void response.end('fresh bread'));
  const url = `https://127.0.0.1:${await listenOnLoopback(server)}/`;
  const answer = await webFetch({}, certificate)(url);
  assert.equal(await answer.text(), 'fresh bread');
  await assert.rejects(webFetch({}, join(folder, 'none.crt'))(url), /self-signed certificate/);
  server.closeAllConnections();
  server.close();
});

async function streamOf(t: TestContext, write: (response: ServerResponse) => void): Promise<string> {
  const server = createPlainServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    write(response);
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (await webFetch({})(`http://127.0.0.1:${await listenOnLoopback(server)}/`)).text();
}

test('integers of events are exact, and addresses and ids of a stream stay as they are', async (t) => {
  const id = '17640000000000000001';
  const text = await streamOf(t, (response) =>
    response.end(`id: ${id}\nevent: endpoint\ndata: /messages?sessionId=${id}\n\ndata: {"n":${id}}\n\n`),
  );
  assert.equal(text, `id: ${id}\nevent: endpoint\ndata: /messages?sessionId=${id}\n\ndata: {"n":"${id}"}\n\n`);
});

test('an event of many lines has the limit of an answer; a stream of many events is unlimited', async (t) => {
  const line = `data: ${'x'.repeat(1 << 20)}\n`;
  const lines = (end: string) => (response: ServerResponse) => {
    for (let count = 0; count < 20; count += 1) response.write(`${line}${end}`);
    response.end();
  };
  await assert.rejects(streamOf(t, lines('')), /longer than 16 MiB/);
  assert.equal((await streamOf(t, lines('\n'))).length, 20 * (line.length + 1));
});
