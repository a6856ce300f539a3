import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { getVillageFreeze } from '@hamlet/contract';
import type { Invocation } from './command.ts';
import { withApi } from './village-api.ts';

const before = process.cwd();
const folder = mkdtempSync(join(tmpdir(), 'checkout-'));
const tokens: (string | undefined)[] = [];
const server = createServer((request, response) => {
  tokens.push(request.headers.authorization);
  response.writeHead(503).end();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => {
  process.chdir(before);
  server.close();
  rmSync(folder, { recursive: true });
});

test('in a checkout of a running village the plugin signs in as its admin, and a given token has priority', async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const kubeconfig = join(folder, 'kubeconfig');
  mkdirSync(join(folder, '.hamlet'));
  const up = { url, adminToken: 'of-the-admin', memberToken: 'of-a-member', kubeconfig };
  writeFileSync(join(folder, '.hamlet/up.json'), JSON.stringify(up));
  process.chdir(folder);
  const ask = (environment: Invocation['environment']): Promise<unknown> =>
    withApi({ flags: {}, environment: { KUBECONFIG: kubeconfig, ...environment } } as unknown as Invocation, (api) =>
      api.call(getVillageFreeze, {}),
    ).catch(() => null);
  await ask({});
  await ask({ HAMLET_TOKEN: 'of-mia' });
  assert.deepEqual(tokens, ['Bearer of-the-admin', 'Bearer of-mia']);
});

test('without a token the plugin says where a person makes one', async () => {
  rmSync(join(folder, '.hamlet'), { recursive: true });
  const invocation = { flags: {}, environment: {} } as unknown as Invocation;
  await assert.rejects(
    withApi(invocation, (api) => api.call(getVillageFreeze, {})),
    /make an API key in the web, on the page Connections/,
  );
});
