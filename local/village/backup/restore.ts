/** `make restore FILE=…`: replaces the data of a running village by a backup. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { dirname, join, resolve } from 'node:path';
import { run } from '../command.ts';
import { Failure } from '../failure.ts';
import { kubectl, tryKubectl, type Place } from '../kubectl.ts';
import { ROOT } from '../paths.ts';
import { confirm, runSteps, type Step } from '../steps.ts';
import { requirePostgres } from './backup.ts';
import type { DatabaseFacts } from './database.ts';
import { asSuperuser, databaseFacts, dropReplaced, makeBeside, POSTGRES_POD, RESTORED, swap } from './database.ts';
import { halt, resume } from './halt.ts';
import { LOG_DEPLOYMENT, podOfLog, replaceKey, replaceLog } from './log-volume.ts';
import { checkParts, holdingsText, isEmpty, MANIFEST, PARTS, type Manifest } from './manifest.ts';
import { missingFrom, RESOURCE_KINDS, type ResourceList } from './resources.ts';
import { transfer } from './stream.ts';

const LANDED = 'api/store/migrations/landed.sha256';
const SEALS_MS = 60_000;
const PAUSE_MS = 1_000;

export interface RestoreOptions {
  readonly file: string | undefined;
  readonly yes: boolean;
}

/** Restores a backup. Every check that can refuse runs before the first change. */
export async function restore(place: Place, { file, yes }: RestoreOptions): Promise<void> {
  const fix = 'make restore FILE=path, as make backup printed it';
  if (file === undefined) throw new Failure('restore needs the file of a backup; nothing was changed', fix);
  const from = resolve(file);
  if (!existsSync(from)) throw new Failure(`${from} does not exist; nothing was changed`, fix);
  const folder = mkdtempSync(join(dirname(from), '.restore-'));
  try {
    const manifest = await unpack(from, folder);
    await requirePostgres(place);
    const there = await databaseFacts(place);
    refuse(manifest, there, place);
    console.log(
      `The backup:  of ${manifest.madeAt}, Hamlet ${manifest.hamlet}, ${manifest.postgres}: ${holdingsText(manifest.holdings)}`,
    );
    console.log(
      `It replaces: ${isEmpty(there.holdings) ? 'an empty village' : holdingsText(there.holdings)}, in namespace ${place.namespace}`,
    );
    if (!isEmpty(there.holdings) && !yes)
      await confirm(
        'This replaces all present data of the village. Restore?',
        'YES=1 make restore FILE=… answers yes; make backup saves the present data first',
      );
    await work(place, folder, manifest);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function unpack(file: string, folder: string): Promise<Manifest> {
  await run(
    'tar',
    ['--extract', '--file', file, '--directory', folder, '--no-same-owner', MANIFEST, ...Object.values(PARTS)],
    { fix: 'use a file that make backup wrote: this file is not a backup, or incomplete; nothing was changed' },
  );
  return checkParts(folder, readFileSync(join(folder, MANIFEST), 'utf8'));
}

function refuse({ namespace, migration, postgres }: Manifest, there: DatabaseFacts, place: Place): void {
  if (namespace !== place.namespace)
    throw new Failure(
      `the backup is of namespace ${namespace}, whose name is part of its sealed log; nothing was changed`,
      `NAMESPACE=${namespace} make restore FILE=…`,
    );
  const known = readFileSync(join(ROOT, LANDED), 'utf8').includes(`  ${migration}\n`);
  if (!known)
    throw new Failure(
      `the backup has the migration ${migration}, which this version of Hamlet does not know; nothing was changed`,
      'use the version of Hamlet that wrote it, or a newer one, and run make up first',
    );
  if (Number.parseInt(postgres, 10) > Number.parseInt(there.server, 10))
    throw new Failure(
      `the backup is of Postgres ${postgres}, and this village has ${there.server}; nothing was changed`,
      'restore it into the same version of Postgres or a newer one',
    );
}

async function work(place: Place, folder: string, manifest: Manifest): Promise<void> {
  const load: Step = {
    name: 'database',
    work: async ({ doing }) => {
      await makeBeside(place);
      await transfer(place, {
        pod: POSTGRES_POD,
        command: asSuperuser('pg_restore', '--exit-on-error', '--single-transaction', '--dbname', RESTORED),
        from: join(folder, PARTS.dump),
        doing,
      });
      return 'loaded beside the current database';
    },
  };
  // The village runs until the whole dump is loaded.
  await runSteps('Hamlet: restore', [load]);
  let isSwapped = false;
  await runSteps('Hamlet: replacing the data while the village is stopped', [
    { name: 'stop operator and api', work: async ({ doing }) => halt(place, doing) },
    { name: 'database', work: async () => (await swap(place), (isSwapped = true), undefined) },
    { name: 'sealed log', work: async ({ doing }) => replaceLog(place, join(folder, PARTS.log), doing) },
    {
      name: 'key of the log',
      work: async () =>
        (await replaceKey(place, readFileSync(join(folder, PARTS.key), 'utf8'))) ? 'replaced' : 'unchanged',
    },
    { name: 'Redis', work: async () => emptyRedis(place) },
    { name: 'custom resources', work: async () => applyMissing(place, join(folder, PARTS.resources)) },
    { name: 'start operator and api', work: async ({ doing }) => resume(place, doing) },
    { name: 'next seal', work: async ({ doing }) => nextSeal(place, manifest, doing) },
    { name: 'replaced database', work: async () => (await dropReplaced(place), 'removed') },
  ]).catch(async (error: unknown) => {
    if (isSwapped)
      console.error(
        'The restore is incomplete. Fix the cause and restore again; until then the replaced data is in the database hamlet_replaced.',
      );
    else
      await runSteps('Hamlet: nothing was replaced; starting the village again', [
        { name: 'start operator and api', work: async ({ doing }) => resume(place, doing) },
      ]);
    throw error;
  });
}

async function emptyRedis(place: Place): Promise<void> {
  await kubectl(place, ['delete', 'pod', 'hamlet-redis-0', '--ignore-not-found', '--wait']);
  await kubectl(place, ['rollout', 'status', 'statefulset/hamlet-redis', '--timeout=120s']);
}

/** Creates the resources that the cluster does not have; the others are newer than the backup. */
async function applyMissing(place: Place, file: string): Promise<string> {
  const list = JSON.parse(readFileSync(file, 'utf8')) as ResourceList;
  const there = JSON.parse(await kubectl(place, ['get', RESOURCE_KINDS.join(','), '-o', 'json'])) as ResourceList;
  const missing = missingFrom(list, there);
  if (missing.items.length > 0) await kubectl(place, ['create', '-f', '-'], { input: JSON.stringify(missing) });
  return `${missing.items.length} created, ${list.items.length - missing.items.length} exist and stay unchanged`;
}

/** Waits until the api seals an entry after those of the backup. */
async function nextSeal(place: Place, { sealed }: Manifest, doing: (text: string) => void): Promise<string> {
  const deadlineMs = performance.now() + SEALS_MS;
  const script = "fetch('http://127.0.0.1:9090/metrics').then((r) => r.text()).then((t) => console.log(t))";
  const metrics = ['--container', 'api', '--', 'node', '--eval', script];
  for (;;) {
    const pod = (await podOfLog(place)) ?? LOG_DEPLOYMENT;
    const { code, stdout } = await tryKubectl(place, ['exec', pod, ...metrics]);
    const broken = /^hamlet_log_broken (\d)$/m.exec(stdout)?.[1];
    if (broken === '1')
      throw new Failure(
        'the api seals nothing, because the sealed log does not match the restored database',
        'see docs/LOG.md#when-the-log-differs',
      );
    const { sealed: now } = await databaseFacts(place);
    if (code === 0 && broken === '0' && now > sealed) return `${now} entries, ${now - sealed} of them since the backup`;
    doing(`${now} entries are sealed, ${sealed} were in the backup`);
    if (performance.now() > deadlineMs)
      throw new Failure(
        `the api sealed nothing for ${SEALS_MS / 1_000} s`,
        `kubectl logs deployment/${LOG_DEPLOYMENT}`,
      );
    await sleep(PAUSE_MS);
  }
}
