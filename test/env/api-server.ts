import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Connection, KubeClientOptions, NewObject, ResourceType } from '@hamlet/kube';
import { KubeClient, kubeconfigConnection, NAMESPACES, SERVICE_ACCOUNTS } from '@hamlet/kube';
import { parse } from 'yaml';
import { until } from './until.ts';

const ROOT = resolve(import.meta.dirname, '../..');
export const CRDS: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
};
const START_TIMEOUT_MS = 180_000;

/** `api`: etcd and the API server. `control-plane`: also the scheduler and the controllers, with no node. */
export type Profile = 'api' | 'control-plane';

export interface TestApiServer {
  readonly kubeconfig: string;
  readonly connection: Connection;
  /** Kubeconfig of an administrator. */
  readonly client: KubeClient;
  /** A client, closed with the server. */
  clientWith(options: KubeClientOptions): KubeClient;
  /** Applies crds/bases. */
  installCrds(): Promise<void>;
  /** Creates a namespace with the agents' service account; returns its name. */
  namespace(): Promise<string>;
  /** Ends the server and removes its data. */
  remove(): Promise<void>;
}

const execute = promisify(execFile);

async function programs(): Promise<string> {
  const { stdout } = await execute(join(ROOT, 'local/cluster/build.sh'), ['--print-bin']);
  return stdout.trim();
}

async function installCrds(client: KubeClient): Promise<void> {
  const folder = join(ROOT, 'crds/bases');
  for (const file of await readdir(folder)) {
    const object = parse(await readFile(join(folder, file), 'utf8')) as NewObject;
    await client.apply(CRDS, object, { fieldManager: 'hamlet-test' });
    const { name } = object.metadata;
    await until(`CRD ${name}`, async () => {
      const crd = await client.get<never>(CRDS, { name });
      const { status } = crd as { status?: { conditions?: { type: string; status: string }[] } };
      return status?.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True') === true;
    });
  }
}

let namespaces = 0;

async function freshNamespace(client: KubeClient): Promise<string> {
  namespaces += 1;
  const name = `village-${namespaces}`;
  await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, {});
  // Without controllers no default account exists, and agents' pods need their own account anyway.
  for (const account of ['default', 'hamlet-agent'])
    await client.apply(
      SERVICE_ACCOUNTS,
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: account, namespace: name } },
      { fieldManager: 'hamlet-test' },
    );
  return name;
}

/** Starts an API server on free ports, in about 5 s. */
export async function testApiServer(profile: Profile = 'api'): Promise<TestApiServer> {
  const folder = await mkdtemp(join(tmpdir(), 'hamlet-test-kube-'));
  const hamletCluster = join(await programs(), 'hamlet-cluster');
  const state = join(folder, 'state');
  await execute(
    hamletCluster,
    [
      'up',
      '--profile',
      profile,
      '--state',
      state,
      '--name',
      `t-${basename(folder).slice(-6).toLowerCase()}`,
      '--while',
      String(process.pid),
    ],
    { timeout: START_TIMEOUT_MS },
  );
  const kubeconfig = join(state, 'kubeconfig');
  const connection = await kubeconfigConnection(kubeconfig);
  const clients: KubeClient[] = [];
  const clientWith = (options: KubeClientOptions): KubeClient => {
    const made = new KubeClient(connection, options);
    clients.push(made);
    return made;
  };
  const client = clientWith({});
  return {
    kubeconfig,
    connection,
    client,
    clientWith,
    installCrds: () => installCrds(client),
    namespace: () => freshNamespace(client),
    remove: async () => {
      await Promise.all(clients.map((each) => each.close()));
      await execute(hamletCluster, ['down', '--state', state]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
