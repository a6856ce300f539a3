/** Faults of the control plane itself. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { TestApiServer } from '@hamlet/test/env/api-server';
import { until } from '@hamlet/test/env/until';

const execute = promisify(execFile);
const BUILD = resolve(import.meta.dirname, '../../local/cluster/build.sh');

const stateOf = ({ kubeconfig }: TestApiServer): string => dirname(kubeconfig);

/** Compacts etcd's history before `version`. */
export async function compact(server: TestApiServer, version: string): Promise<void> {
  const state = stateOf(server);
  const { ports } = JSON.parse(await readFile(join(state, 'cluster.json'), 'utf8')) as {
    ports: { etcdClient: number };
  };
  const [ca, cert, key] = await Promise.all(
    ['ca.crt', 'etcd-client.crt', 'etcd-client.key'].map((file) => readFile(join(state, 'pki', file))),
  );
  await new Promise<void>((done, fail) => {
    const call = request(
      {
        host: '127.0.0.1',
        port: ports.etcdClient,
        path: '/v3/kv/compaction',
        method: 'POST',
        ...(ca === undefined ? {} : { ca }),
        cert,
        key,
        headers: { 'content-type': 'application/json' },
      },
      (answer) => {
        answer.resume();
        if (answer.statusCode === 200) answer.once('end', () => done());
        else fail(new Error(`etcd answers ${answer.statusCode}`));
      },
    );
    call.once('error', fail);
    call.end(JSON.stringify({ revision: version, physical: true }));
  });
}

/** Kills the API server. Its supervisor starts it again; it has no events from before the kill. */
export async function restartApiServer(server: TestApiServer): Promise<void> {
  const { stdout } = await execute(BUILD, ['--print-bin']);
  await execute(join(stdout.trim(), 'hamlet-cluster'), ['kill', '--state', stateOf(server), 'kube-apiserver']);
  await until('the API server is back', async () => (await server.client.read('/readyz')) === 'ok');
}
