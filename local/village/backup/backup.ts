/** `make backup`: one dated file with all that a village needs to go on elsewhere. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { run } from '../command.ts';
import { Failure } from '../failure.ts';
import { kubectl, secretValue, tryKubectl, type Place } from '../kubectl.ts';
import { ROOT, STATE } from '../paths.ts';
import { runSteps } from '../steps.ts';
import { asSuperuser, databaseFacts, POSTGRES_POD, type DatabaseFacts } from './database.ts';
import { LOG_DEPLOYMENT, LOG_FOLDER, podOfLog } from './log-volume.ts';
import { describeParts, holdingsText, MANIFEST, PARTS, type Manifest } from './manifest.ts';
import { bareResources, RESOURCE_KINDS } from './resources.ts';
import { mebibytes, transfer } from './stream.ts';

/** Writes a backup of the village and returns its file. The village goes on meanwhile. */
export async function backup(place: Place, wanted: string | undefined): Promise<string> {
  const madeAt = new Date();
  const file = resolve(
    wanted ??
      join(
        STATE,
        'backups',
        `${place.namespace}-${madeAt
          .toISOString()
          .replace(/:\d\d\.\d+Z$/, 'Z')
          .replaceAll(':', '')}.tar`,
      ),
  );
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(dirname(file), '.backup-'));
  let facts: DatabaseFacts | undefined;
  try {
    await runSteps(`Hamlet: backup of the village in namespace ${place.namespace}`, [
      {
        name: 'village',
        work: async () => {
          await requireVillage(place);
          facts = await databaseFacts(place);
          if (facts.migration === undefined)
            throw new Failure(
              'the database of the village is empty: there is nothing to back up',
              'make up, and try again',
            );
          return holdingsText(facts.holdings);
        },
      },
      // Before the dump: a folder that is newer than the database stops the log.
      { name: 'sealed log', work: async ({ doing }) => saveLog(place, folder, doing) },
      { name: 'custom resources', work: async () => saveResources(place, folder) },
      { name: 'database', work: async ({ doing }) => dump(place, folder, doing) },
      { name: 'check', work: async ({ doing }) => readDump(place, folder, doing) },
      { name: 'file', work: async () => pack(folder, file, await manifestOf(place, { folder, madeAt, facts })) },
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`\nThe backup:  ${file}`);
  console.log(
    'It has the key that signs the log and everything that was ever written here: keep it as you keep passwords.',
  );
  console.log('Workspaces and memories of agents are on their own volumes and are not in it.');
  return file;
}

/** A village runs here whose database and first api can be asked. */
export async function requireVillage(place: Place): Promise<void> {
  const { code, output } = await tryKubectl(place, ['get', 'pod', POSTGRES_POD, '-o', 'jsonpath={.status.phase}']);
  if (code !== 0 || !output.includes('Running'))
    throw new Failure(
      `no village runs in namespace ${place.namespace}: ${output.trim() || `${POSTGRES_POD} is not there`}`,
      'make up, or NAMESPACE=name of the village',
    );
  const { code: has, output: said } = await tryKubectl(place, ['exec', POSTGRES_POD, '--', 'pg_dump', '--version']);
  if (has !== 0)
    throw new Failure(
      `the image of Postgres has no pg_dump: ${said.trim()}`,
      'make up, which brings an image that has it, or take the official image of Postgres 18',
    );
}

async function saveLog(place: Place, folder: string, doing: (text: string) => void): Promise<string> {
  const to = join(folder, PARTS.log);
  // The checkpoint first: hashes that came after it are cut off when the api opens the folder.
  const names = 'checkpoint checkpoints hashes key.pub';
  const pod = await podOfLog(place);
  if (pod === undefined)
    throw new Failure(
      `no pod of ${LOG_DEPLOYMENT} runs, which keeps the sealed log`,
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

async function dump(place: Place, folder: string, doing: (text: string) => void): Promise<string> {
  const to = join(folder, PARTS.dump);
  await transfer(place, {
    pod: POSTGRES_POD,
    command: asSuperuser('pg_dump', '--format', 'custom', '--dbname', 'hamlet'),
    to,
    doing,
  });
  return mebibytes((await stat(to)).size);
}

/** Postgres reads the whole dump once, so that a broken one is not called a backup. */
async function readDump(place: Place, folder: string, doing: (text: string) => void): ReturnType<typeof transfer> {
  const command = ['sh', '-c', 'exec pg_restore --file /dev/null'];
  return transfer(place, { pod: POSTGRES_POD, command, from: join(folder, PARTS.dump), doing });
}

async function saveResources(place: Place, folder: string): Promise<string> {
  const list = bareResources(JSON.parse(await kubectl(place, ['get', RESOURCE_KINDS.join(','), '-o', 'json'])));
  writeFileSync(join(folder, PARTS.resources), JSON.stringify(list, null, 2), { mode: 0o600 });
  return `${list.items.length} of ${RESOURCE_KINDS.join(', ')}`;
}

interface Made {
  readonly folder: string;
  readonly madeAt: Date;
  readonly facts: DatabaseFacts | undefined;
}

async function manifestOf(place: Place, { folder, madeAt, facts }: Made): Promise<Manifest> {
  if (facts?.migration === undefined) throw new Error('the step before has not run');
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

/** Whole or not at all, under its name. */
async function pack(folder: string, file: string, manifest: Manifest): Promise<string> {
  writeFileSync(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  const part = join(folder, 'whole.tar');
  writeFileSync(part, '', { mode: 0o600 });
  await run('tar', ['--create', '--file', part, '--directory', folder, MANIFEST, ...Object.values(PARTS)]);
  await rename(part, file);
  return mebibytes((await stat(file)).size);
}
