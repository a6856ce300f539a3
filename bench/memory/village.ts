import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { GROUP, VERSION } from '@hamlet/contract';
import type { NewObject, ResourceType } from '@hamlet/kube';
import type { TestApiServer } from '@hamlet/test/env/api-server';
import { adminToken } from '@hamlet/test/env/cluster/service-account-token';
import { parse } from 'yaml';

const ROOT = resolve(import.meta.dirname, '../..');
const PLURALS: Readonly<Record<string, string>> = { Agent: 'agents', Entitlement: 'entitlements' };
const BUILD_OUTPUT_BYTES = 64 << 20;

/** Builds the programs of the local cluster if they are missing. */
export async function buildCluster(): Promise<void> {
  await promisify(execFile)(join(ROOT, 'local/cluster/build.sh'), [], { maxBuffer: BUILD_OUTPUT_BYTES });
}

export interface Furnished {
  readonly namespace: string;
  readonly tokens: { readonly ada: string };
  readonly keysFile: string;
  /** File with the operator's token for the API. */
  readonly tokenFile: string;
  /** The files of a pod's service account: ca.crt, namespace, token. */
  readonly serviceAccountDir: string;
}

/** Applies the samples to a namespace of an API server, and writes the keys of the API to a folder. */
export async function furnish(kube: TestApiServer, folder: string): Promise<Furnished> {
  await kube.installCrds();
  const namespace = await kube.namespace();
  const samples = join(ROOT, 'crds/samples');
  for (const file of (await readdir(samples)).filter((name) => /^good-(agent|entitlement)-.*\.yaml$/.test(name))) {
    const object = parse(await readFile(join(samples, file), 'utf8')) as NewObject;
    const type: ResourceType = {
      group: GROUP,
      version: VERSION,
      plural: PLURALS[object.kind] ?? '',
      kind: object.kind,
    };
    await kube.client.apply(
      type,
      { ...object, metadata: { ...object.metadata, namespace } },
      { fieldManager: 'bench' },
    );
  }
  const token = (): string => randomBytes(24).toString('base64url');
  const tokens = { ada: token(), operator: token() };
  const keysFile = join(folder, 'keys.json');
  const tokenFile = join(folder, 'operator-token');
  await writeFile(keysFile, JSON.stringify({ operatorToken: tokens.operator, agentTokens: { ada: tokens.ada } }), {
    mode: 0o600,
  });
  await writeFile(tokenFile, tokens.operator, { mode: 0o600 });
  return { namespace, tokens, keysFile, tokenFile, serviceAccountDir: await mountedAccount(kube, namespace, folder) };
}

/** A service account with all rights, as files in a pod. */
async function mountedAccount(kube: TestApiServer, namespace: string, folder: string): Promise<string> {
  const token = await adminToken(kube.client, { namespace, name: 'bench' }, 3_600);
  const dir = join(folder, 'serviceaccount');
  await mkdir(dir);
  const files = { 'ca.crt': kube.connection.tls.ca ?? '', namespace, token };
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
  return dir;
}
