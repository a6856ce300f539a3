/** Trust of HTTP MCP servers: a certificate of the village's authority is accepted only if the authority's file exists. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { test } from 'node:test';
import { listenOnLoopback } from '@hamlet/test/env/net/loopback';
import { testFolder } from '@hamlet/test/env/at-end';
import { webFetch } from './web-fetch.ts';

const folder = testFolder('trust');
const [key, certificate] = [join(folder, 'ca.key'), join(folder, 'ca.crt')];

const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
const made = ['-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', certificate];
execFileSync('openssl', ['req', '-x509', ...made, ...subject], { stdio: 'ignore' });

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
