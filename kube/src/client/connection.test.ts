import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { connect, inClusterConnection, kubeconfigConnection, KubeconfigError, tokenFile } from './connection.ts';

const folder = testFolder('connection');

async function kubeconfig(user: object, cluster: object = {}): Promise<string> {
  const file = join(folder, 'config');
  const config = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u', namespace: 'village' } }],
    clusters: [{ name: 'k', cluster: { server: 'https://example.org:6443/', ...cluster } }],
    users: [{ name: 'u', user }],
  };
  await writeFile(file, JSON.stringify(config));
  return file;
}

test('certificates work inline or in files beside the kubeconfig', async () => {
  await writeFile(join(folder, 'key.pem'), 'KEY');
  const inline = Buffer.from('CERT').toString('base64');
  const file = await kubeconfig(
    { 'client-certificate-data': inline, 'client-key': 'key.pem' },
    { 'certificate-authority-data': Buffer.from('CA').toString('base64'), 'tls-server-name': 'api' },
  );
  const connection = await kubeconfigConnection(file);
  assert.deepEqual(connection, {
    server: 'https://example.org:6443',
    namespace: 'village',
    tls: { ca: 'CA', servername: 'api', cert: 'CERT', key: 'KEY' },
  });
});

test('tokens work inline, from a file and from an exec program', async () => {
  assert.equal(await (await kubeconfigConnection(await kubeconfig({ token: 'abc' }))).token?.read(), 'abc');
  await writeFile(join(folder, 'token'), 'from-file\n');
  assert.equal(
    await (
      await kubeconfigConnection(
        await kubeconfig({ 'auth-provider': { name: 'tokenFile', config: { tokenFile: join(folder, 'token') } } }),
      )
    ).token?.read(),
    'from-file',
  );
  const script = `console.log(JSON.stringify({ kind: 'ExecCredential', status: { token: process.env.WORD + 'here' } }))`;
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    interactiveMode: 'Never',
    command: process.execPath,
    args: ['-e', script],
    env: [{ name: 'WORD', value: 'made-' }],
  };
  assert.equal(await (await kubeconfigConnection(await kubeconfig({ exec }))).token?.read(), 'made-here');
});

test('the error for an incomplete kubeconfig names the missing part', async () => {
  const file = join(folder, 'broken');
  await writeFile(file, JSON.stringify({ 'current-context': 'gone', contexts: [], clusters: [], users: [] }));
  await assert.rejects(
    kubeconfigConnection(file),
    (error) => error instanceof KubeconfigError && /lacks the context.*"gone"/.test(error.message),
  );
});

test('in a pod, certificate, namespace and token come from the mounted directory', async () => {
  await Promise.all([
    writeFile(join(folder, 'ca.crt'), 'CA'),
    writeFile(join(folder, 'namespace'), 'village\n'),
    writeFile(join(folder, 'token'), 'one'),
  ]);
  const connection = await inClusterConnection({ host: 'fd00::1', port: '443', directory: folder });
  assert.deepEqual(
    [connection.server, connection.namespace, connection.tls],
    ['https://[fd00::1]:443', 'village', { ca: 'CA' }],
  );
  assert.equal(await connection.token?.read(), 'one');
});

test('a token file is read again after a minute, and at once after a refusal', async () => {
  const file = join(folder, 'rotating');
  let nowMs = 0;
  const token = tokenFile(file, () => nowMs);
  await writeFile(file, 'one');
  assert.equal(await token.read(), 'one');
  await writeFile(file, 'two');
  nowMs = 60_000;
  assert.equal(await token.read(), 'one');
  nowMs = 60_001;
  assert.equal(await token.read(), 'two');
  await writeFile(file, 'three');
  token.forget();
  assert.equal(await token.read(), 'three');
});

test("a kubeconfig takes precedence over a pod's service account, and without either the error names the fix", async (t) => {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
  t.after(() => {
    for (const [name, value] of Object.entries({ KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port }))
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
  });
  await Promise.all([
    writeFile(join(folder, 'ca.crt'), 'CA'),
    writeFile(join(folder, 'namespace'), 'village'),
    writeFile(join(folder, 'token'), 'one'),
  ]);
  process.env['KUBERNETES_SERVICE_HOST'] = '10.96.0.1';
  process.env['KUBERNETES_SERVICE_PORT'] = '443';
  assert.equal((await connect({ kubeconfig: undefined, directory: folder })).server, 'https://10.96.0.1:443');
  const file = await kubeconfig({ token: 'abc' });
  assert.equal((await connect({ kubeconfig: file, directory: folder })).server, 'https://example.org:6443');
  for (const name of ['KUBERNETES_SERVICE_PORT', 'KUBERNETES_SERVICE_HOST']) {
    Reflect.deleteProperty(process.env, name);
    await assert.rejects(
      connect({ kubeconfig: undefined, directory: folder, hint: ', or run make up' }),
      /set HAMLET_KUBECONFIG, or run make up$/,
    );
  }
});
