/** Daemons of this machine end with the process that started them. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '@hamlet/test/env/until';

/** True if a process listens on a loopback port. */
async function answers(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port });
  const connected = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'close').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return connected;
}

test('a found port stays claimed until the process that found it ends', async () => {
  const owner = `
    import { freePort } from ${JSON.stringify(join(import.meta.dirname, 'local-process.ts'))};
    console.log(await freePort());
    setInterval(() => undefined, 1_000);`;
  const child = execFile(process.execPath, ['--input-type=module', '--eval', owner]);
  assert.ok(child.stdout !== null);
  const [port] = (await once(child.stdout, 'data')) as [string];
  const isClaimed = async (): Promise<boolean> => {
    const claim = createServer();
    try {
      await once(claim.listen(`\0hamlet-port-${Number(port)}`), 'listening');
    } catch {
      return true;
    }
    claim.close();
    return false;
  };
  assert.equal(await isClaimed(), true);
  child.kill('SIGKILL');
  await until('the port is free', async () => !(await isClaimed()));
});

test('a daemon ends with its parent process, even if the parent is killed', async () => {
  const owner = `
    import { startRedis } from ${JSON.stringify(join(import.meta.dirname, 'redis.ts'))};
    const { port } = await startRedis();
    console.log(port);
    setInterval(() => undefined, 1_000);`;
  const child = execFile(process.execPath, ['--input-type=module', '--eval', owner]);
  assert.ok(child.stdout !== null);
  const [said] = (await once(child.stdout, 'data')) as [string];
  const port = Number(said);
  assert.ok(await answers(port));
  child.kill('SIGKILL');
  await until('the daemon is gone', async () => !(await answers(port)));
});
