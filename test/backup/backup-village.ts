/** A village with an imitated cluster: real Postgres, real API, real folder of the sealed log. */
import { chmod, cp, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { migrate } from '@hamlet/store';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { startOwnVillage, Play, type OwnVillage } from '../../api/server/src/testing/test-village.ts';
import { hostArchitecture } from '../../local/village/images/architecture.ts';
import { postgresClients } from '../../local/village/images/postgres-clients.ts';
import type { Place } from '../../local/village/kubectl.ts';
import { NODE, stateFile } from '../../local/village/paths.ts';

interface State {
  readonly replicas: Readonly<Record<string, number>>;
  readonly resources: { readonly items: readonly { readonly metadata: { readonly name: string } }[] };
  readonly key: string;
  readonly containers: string;
  readonly done: readonly string[];
}

const agent = (name: string): object => ({
  apiVersion: 'hamlet.village/v1alpha1',
  kind: 'Agent',
  metadata: { name },
  spec: {},
});

export interface BackupVillage {
  readonly village: OwnVillage;
  /** For the state, the log and files of the test. */
  readonly folder: string;
  readonly place: Place;
  /** The programs of Postgres' clients, where every user can run them. */
  readonly clients: string;
  stateOf(): Promise<State>;
  setState(change: object): Promise<void>;
  /** Migrates, and starts the API. */
  start(): Promise<{ readonly play: Play; stop(): Promise<void> }>;
  /** Creates roles and the database, as the chart does at a first start. */
  initialize(): Promise<void>;
}

/** Writes a program that answers like kubectl, and the first state of its cluster. Returns its path. */
async function writeKubectl(
  { postgres }: OwnVillage,
  environment: Readonly<Record<string, string>>,
  { folder, clients }: Readonly<{ folder: string; clients: string }>,
): Promise<string> {
  const { hostname, port } = new URL(postgres.url());
  const path = `${join(clients, 'bin')}:${environment['PATH'] ?? process.env['PATH'] ?? ''}`;
  const variables = { ...environment, PATH: path, PGHOST: hostname, PGPORT: port, POSTGRES_PASSWORD: 'hamlet' };
  const exports = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`);
  const kubectl = join(folder, 'kubectl');
  const pretend = join(import.meta.dirname, 'pretend-kubectl.ts');
  await writeFile(kubectl, `#!/bin/sh\n${exports.join('\n')}\nexec ${NODE} ${pretend} "$@"\n`);
  await chmod(kubectl, 0o755);
  const first = {
    logFolder: join(folder, 'log'),
    replicas: { 'hamlet-operator': 2, 'hamlet-api': 1, 'hamlet-api-more': 1 },
    annotations: {},
    key: 'the key',
    containers: 'postgres',
    resources: { items: [agent('ada'), agent('bob')] },
    done: [],
  };
  await writeFile(environment['PRETEND_STATE'] ?? '', JSON.stringify(first));
  return kubectl;
}

/** `environment` is that of the programs in its pods. */
export async function startBackupVillage(environment: Readonly<Record<string, string>> = {}): Promise<BackupVillage> {
  const village = await startOwnVillage();
  const folder = join(village.samples, 'backup');
  await mkdir(join(folder, 'log'), { recursive: true });
  const databaseUrl = (user: string): string => village.postgres.url('hamlet').replace('postgres:hamlet@', `${user}@`);
  // The user of Postgres runs the clients.
  await chmod(village.samples, 0o755);
  const clients = join(folder, 'clients');
  const context = { log: stateFile('log', 'test-backup.log'), doing: () => undefined };
  await cp(await postgresClients(hostArchitecture(), context), clients, { recursive: true, verbatimSymlinks: true });
  const stateJson = join(folder, 'state.json');
  const stateOf = async (): Promise<State> => JSON.parse(await readFile(stateJson, 'utf8')) as State;
  const kubectl = await writeKubectl(village, { ...environment, PRETEND_STATE: stateJson }, { folder, clients });
  return {
    village,
    folder,
    place: { kubectl, helm: 'helm', kubeconfig: undefined, namespace: 'hamlet' },
    clients,
    stateOf,
    setState: async (change) => writeFile(stateJson, JSON.stringify({ ...(await stateOf()), ...change })),
    start: async () => {
      await migrate({ ownerUrl: databaseUrl('postgres:hamlet'), appUrl: databaseUrl('app:app') });
      const replica = await village.startReplica({
        HAMLET_POSTGRES_URL: databaseUrl('app:app'),
        HAMLET_LOG_DIR: join(folder, 'log'),
      });
      // The port has its own file, because the restore owns the state file.
      await writeFile(`${stateJson}.port.new`, new URL(replica.metricsUrl).port);
      await rename(`${stateJson}.port.new`, `${stateJson}.port`);
      return { play: new Play(replica.peopleUrl), stop: () => replica.stop() };
    },
    initialize: async () => {
      const superuser = openSuperuser(village.postgres);
      for (const statement of [
        "create role owner login password 'owner'",
        "create role reader login password 'reader'",
        "create role app login password 'app'",
        'create database hamlet',
      ])
        await superuser.run(statement).catch(() => undefined);
      await superuser.close();
    },
  };
}
