import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listenAt, ServiceServer } from './service.ts';

test('an address to listen at may be of IPv6, in brackets', () => {
  assert.deepEqual(listenAt('0.0.0.0:9090'), { host: '0.0.0.0', port: 9090 });
  assert.deepEqual(listenAt('[::]:9090'), { host: '::', port: 9090 });
});

test('health endpoints report each check, and /metrics serves metrics', async () => {
  let listed = false;
  const server = new ServiceServer({
    host: '127.0.0.1',
    port: 0,
    live: [],
    ready: [{ name: 'listed', problem: () => (listed ? undefined : 'agents not listed') }],
    metrics: () => Promise.resolve('made_total 2\n'),
  });
  const url = `http://127.0.0.1:${await server.listen()}`;
  const read = async (path: string): Promise<string> => {
    const answer = await fetch(`${url}${path}`);
    return `${answer.status} ${await answer.text()}`;
  };
  assert.match(await read('/livez'), /^200/);
  assert.equal(await read('/readyz?verbose'), '503 [-] listed: agents not listed\n');
  listed = true;
  assert.equal(await read('/readyz'), '200 [+] listed ok\n');
  assert.match(await read('/other'), /^404/);
  assert.equal(await read('/metrics'), '200 made_total 2\n');
  await server.close();
});
