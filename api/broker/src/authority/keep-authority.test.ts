/** The certificate authority of a village, in a real API server. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import type { KubeObject, NewObject } from '@hamlet/kube';
import { testApiServer, type TestApiServer } from '@hamlet/test/env/api-server';
import { createAuthority } from '../tls/issuer.ts';
import { CONFIG_MAPS, SECRETS } from './keep-authority.ts';
import { runAuthority } from './run-authority.ts';

type WithData = KubeObject & { readonly data?: Readonly<Record<string, string>> };

let server: TestApiServer;
const folders: string[] = [];
before(async () => {
  server = await testApiServer();
});
after(async () => {
  await server.remove();
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** A namespace with both objects as the chart creates them: empty. */
async function village(): Promise<string> {
  const namespace = await server.namespace();
  for (const type of [SECRETS, CONFIG_MAPS])
    await server.client.create(
      type,
      { apiVersion: 'v1', kind: type.kind, metadata: { name: 'hamlet-ca' } } as NewObject,
      { namespace },
    );
  return namespace;
}

/** Runs the init container of one broker and returns its folder. */
async function start(namespace: string): Promise<{ readonly certificate: string; readonly key: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'hamlet-authority-'));
  folders.push(folder);
  const environment = { HAMLET_CA_DIR: folder, HAMLET_NAMESPACE: namespace, HAMLET_KUBECONFIG: server.kubeconfig };
  assert.equal(await runAuthority([], environment), 0);
  const [certificate = '', key = ''] = ['tls.crt', 'tls.key'].map((name) => readFileSync(join(folder, name), 'utf8'));
  return { certificate, key };
}

const published = async (namespace: string): Promise<string | undefined> =>
  (await server.client.get<WithData>(CONFIG_MAPS, { namespace, name: 'hamlet-ca' })).data?.['ca.crt'];

test('brokers that start together agree on one authority, and publish its certificate without the key', async () => {
  const namespace = await village();
  const all = await Promise.all([start(namespace), start(namespace), start(namespace)]);
  const [first = { certificate: '', key: '' }] = all;
  for (const each of all) assert.deepEqual(each, first);
  assert.ok(new X509Certificate(first.certificate).subject.includes(`Hamlet ${namespace}`));
  assert.equal(await published(namespace), first.certificate);
  assert.doesNotMatch((await published(namespace)) ?? '', /PRIVATE/);
  assert.deepEqual(await start(namespace), first, 'a later broker reads it');
});

test('applying the empty manifest keeps the authority; emptying the Secret creates a new one', async () => {
  const namespace = await village();
  const first = await start(namespace);
  const manifest = (metadata: object): NewObject =>
    ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'hamlet-ca', namespace, ...metadata } }) as NewObject;
  await server.client.apply(SECRETS, manifest({ labels: { upgraded: 'yes' } }), { fieldManager: 'helm' });
  assert.deepEqual(await start(namespace), first);
  await server.client.mergePatch(SECRETS, { data: null }, { namespace, name: 'hamlet-ca' });
  const second = await start(namespace);
  assert.notEqual(second.certificate, first.certificate);
  assert.equal(await published(namespace), second.certificate);
});

test('an authority that has expired, or whose key does not match, is replaced', async () => {
  const namespace = await village();
  const encode = (text: string): string => Buffer.from(text).toString('base64');
  const old = await createAuthority(namespace, Date.now() - 11 * 365 * 86_400_000);
  const other = await createAuthority(namespace, Date.now());
  for (const { certificate, key } of [
    old,
    { ...old, certificate: other.certificate },
    { certificate: 'x', key: 'y' },
  ]) {
    const data = { 'tls.crt': encode(certificate), 'tls.key': encode(key) };
    await server.client.mergePatch(SECRETS, { data }, { namespace, name: 'hamlet-ca' });
    const files = await start(namespace);
    assert.ok(new X509Certificate(files.certificate).validToDate.getTime() > Date.now());
    assert.notEqual(files.certificate, certificate);
  }
});

test('an invalid environment variable is named in the error', async () => {
  assert.equal(await runAuthority([], {}), 2);
});
