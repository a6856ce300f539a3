/** `make backup`: writes one dated file from which a village can continue elsewhere. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { run } from '../command.ts';
import { Failure } from '../failure.ts';
import { kubectl, secretValue, tryKubectl, type Place } from '../kubectl.ts';
import { ROOT, STATE } from '../paths.ts';
import { runSteps } from '../steps.ts';
import { asSuperuser, databaseFacts, POSTGRES_POD, type DatabaseFacts, type Server } from './database.ts';
import { LOG_DEPLOYMENT, LOG_FOLDER, podOfLog } from './log-volume.ts';
import { describeParts, holdingsText, MANIFEST, PARTS, type Manifest } from './manifest.ts';
import { bareResources, RESOURCE_KINDS } from './resources.ts';
import { mebibytes, transfer } from './stream.ts';

export async function backup(place: Place, wanted: string | undefined): Promise<string> {
  const madeAt = new Date();
  const date = madeAt.toISOString().replace(/:\d\d\.\d+Z$/, 'Z');
  const file = resolve(wanted ?? join(STATE, 'backups', `${place.namespace}-${date.replaceAll(':', '')}.tar`));
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(dirname(file), '.backup-'));
  let facts: DatabaseFacts | undefined;
  try {
    await runSteps(`Hamlet: backup of the village in namespace ${place.namespace}`, [
      {
        name: 'village',
        work: async () => {
          await requirePostgres(place);
          facts = await databaseFacts(place);
          if (facts.migration === undefined)
            throw new Failure('the database of the village is empty: there is nothing to back up', 'make up');
          return holdingsText(facts.holdings);
        },
      },
      // Before the dump: the api stops sealing if the folder is newer than the database.
      { name: 'sealed log', work: async ({ doing }) => saveLog(place, folder, doing) },
      { name: 'custom resources', work: async () => saveResources(place, folder) },
      { name: 'database', work: async ({ doing }) => dump(place, { folder, doing }) },
      { name: 'check', work: async ({ doing }) => readDump(place, folder, doing) },
      { name: 'file', work: async () => pack(folder, file, await manifestOf(place, { folder, madeAt, facts })) },
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`\nThe backup:  ${file}`);
  console.log('It contains the key that signs the log and all texts of the village: store it like a password.');
  console.log('It does not contain the workspaces and memories of agents, which are on their own volumes.');
  return file;
}

/** Throws a Failure unless the village has a Postgres that is ready and has pg_dump. */
export async function requirePostgres(place: Place): Promise<void> {
  const readiness = 'jsonpath={.status.containerStatuses[*].ready}';
  const { code, stdout, output } = await tryKubectl(place, ['get', 'pod', POSTGRES_POD, '-o', readiness]);
  if (code !== 0) {
    await refuseOutsidePostgres(place);
    throw new Failure(
      `no village runs in namespace ${place.namespace}: ${output.trim()}`,
      'make up, or set NAMESPACE to the namespace of the village',
    );
  }
  // kubectl prints one word for each container.
  if (!/^true( true)*$/.test(stdout.trim()))
    throw new Failure(
      `Postgres is not ready in namespace ${place.namespace}`,
      `kubectl -n ${place.namespace} describe pod ${POSTGRES_POD}, fix the cause, and try again`,
    );
  const version = await tryKubectl(place, ['exec', POSTGRES_POD, '--', 'pg_dump', '--version']);
  if (version.code === 0) return;
  if (/not found|no such file/i.test(version.output))
    throw new Failure(
      `the image of Postgres has no pg_dump: ${version.output.trim()}`,
      'make up, which installs an image with pg_dump, or use the official image of Postgres 18',
    );
  throw new Failure(
    `pg_dump cannot run in ${POSTGRES_POD}: ${version.output.trim()}`,
    `kubectl -n ${place.namespace} describe pod ${POSTGRES_POD}`,
  );
}

/** The Service of the built-in Postgres. */
const OWN_POSTGRES = 'hamlet-postgres';

/** Throws a Failure if the village uses a Postgres outside of it, as `postgres.external` says. */
async function refuseOutsidePostgres(place: Place): Promise<void> {
  const path = 'jsonpath={.spec.template.spec.containers[0].env[?(@.name=="HAMLET_POSTGRES_URL")].value}';
  const { code, stdout } = await tryKubectl(place, ['get', 'deployment', LOG_DEPLOYMENT, '-o', path]);
  const url = code === 0 ? URL.parse(stdout.trim()) : null;
  if (url !== null && url.hostname !== OWN_POSTGRES)
    throw new Failure(
      `the village in namespace ${place.namespace} uses the Postgres at ${url.host}, outside of it`,
      'pg_dump --format custom and pg_restore, as docs/OPERATIONS.md, "Backup and restore", describes',
    );
}

async function saveLog(place: Place, folder: string, doing: (text: string) => void): Promise<string> {
  const to = join(folder, PARTS.log);
  // tar reads the checkpoint first. Hashes that the api adds after that are harmless: it truncates them when it opens
  // the folder.
  const names = 'checkpoint checkpoints hashes key.pub';
  const pod = await podOfLog(place);
  if (pod === undefined)
    throw new Failure(
      `the sealed log cannot be read: no pod of ${LOG_DEPLOYMENT}, which stores it, is running`,
      `kubectl describe deployment ${LOG_DEPLOYMENT}`,
    );
  await transfer(place, {
    pod,
    container: 'api',
    command: ['sh', '-c', `cd ${LOG_FOLDER} && exec tar -cf - $(ls -d ${names} 2>/dev/null)`],
    to,
    doing,
  });
  writeFileSync(join(folder, PARTS.key), `${await secretValue(place, 'hamlet-log', 'key.pem')}`, { mode: 0o600 });
  return mebibytes((await stat(to)).size);
}

interface Dump {
  readonly server?: Server;
  readonly folder: string;
  readonly doing: (text: string) => void;
}

/** Writes the dump of a server to the folder. Returns its size in words. */
export async function dump(place: Place, { server = 'village', folder, doing }: Dump): Promise<string> {
  const to = join(folder, PARTS.dump);
  await transfer(place, { ...asSuperuser(server, 'pg_dump', '--format', 'custom', '--dbname', 'hamlet'), to, doing });
  return mebibytes((await stat(to)).size);
}

/** Lets Postgres read the whole dump, so that a broken one never becomes a backup. */
async function readDump(place: Place, folder: string, doing: (text: string) => void): ReturnType<typeof transfer> {
  const command = ['sh', '-c', 'exec pg_restore --file /dev/null'];
  return transfer(place, { pod: POSTGRES_POD, command, from: join(folder, PARTS.dump), doing });
}

async function saveResources(place: Place, folder: string): Promise<string> {
  const list = bareResources(JSON.parse(await kubectl(place, ['get', RESOURCE_KINDS.join(','), '-o', 'json'])));
  writeFileSync(join(folder, PARTS.resources), JSON.stringify(list, null, 2), { mode: 0o600 });
  return `${list.items.length} of ${RESOURCE_KINDS.join(', ')}`;
}

interface Contents {
  readonly folder: string;
  readonly madeAt: Date;
  readonly facts: DatabaseFacts | undefined;
}

async function manifestOf(place: Place, { folder, madeAt, facts }: Contents): Promise<Manifest> {
  if (facts?.migration === undefined)
    throw new Error('cannot write the manifest: the backup step "village" has not run');
  const { server, migration, sealed, holdings } = facts;
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
  const pgDump = await kubectl(place, ['exec', POSTGRES_POD, '--', 'pg_dump', '--version']);
  return {
    format: 1,
    madeAt: madeAt.toISOString(),
    namespace: place.namespace,
    hamlet: version,
    postgres: server,
    pgDump,
    migration,
    sealed,
    holdings,
    parts: await describeParts(folder),
  };
}

/** Writes the file under another name first, so that an interrupted backup leaves no file that looks complete. */
async function pack(folder: string, file: string, manifest: Manifest): Promise<string> {
  writeFileSync(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  const part = join(folder, 'whole.tar');
  writeFileSync(part, '', { mode: 0o600 });
  await run('tar', ['--create', '--file', part, '--directory', folder, MANIFEST, ...Object.values(PARTS)]);
  await rename(part, file);
  return mebibytes((await stat(file)).size);
}
