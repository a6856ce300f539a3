/** `make restore FILE=…`: puts a backup into a village that runs, in the place of what it holds. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { dirname, join, resolve } from 'node:path';
import { run } from '../command.ts';
import { confirm } from '../confirm.ts';
import { Failure } from '../failure.ts';
import { kubectl, tryKubectl, type Place } from '../kubectl.ts';
import { ROOT } from '../paths.ts';
import { runSteps, type Step } from '../steps.ts';
import { requireVillage } from './backup.ts';
import {
  asSuperuser,
  databaseFacts,
  dropReplaced,
  makeBeside,
  POSTGRES_POD,
  RESTORED,
  swap,
  type DatabaseFacts,
} from './database.ts';
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
  /** The answer to whether what is there may be replaced. */
  readonly yes: boolean;
}

/** Puts a backup into the village of a place. Nothing is changed before every refusal was made. */
export async function restore(place: Place, { file, yes }: RestoreOptions): Promise<void> {
  if (file === undefined)
    throw new Failure(
      'restore needs the file of a backup; nothing was changed',
      'make restore FILE=path, as make backup printed it',
    );
  const from = resolve(file);
  if (!existsSync(from))
    throw new Failure(`${from} is not there; nothing was changed`, 'make restore FILE=path, as make backup printed it');
  const folder = mkdtempSync(join(dirname(from), '.restore-'));
  try {
    const manifest = await unpack(from, folder);
    await requireVillage(place);
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
        'Everything that the village holds now is lost. Restore?',
        'YES=1 make restore FILE=… says it beforehand; make backup keeps what is there now',
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
    { fix: 'this is no backup, or not a whole one; nothing was changed' },
  );
  return checkParts(folder, readFileSync(join(folder, MANIFEST), 'utf8'));
}

/** What speaks against it, before anything is changed. */
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
      'take the version that wrote it, or a newer one, and make up first',
    );
  if (Number.parseInt(postgres, 10) > Number.parseInt(there.server, 10))
    throw new Failure(
      `the backup is of Postgres ${postgres}, and here is ${there.server}; nothing was changed`,
      'restore it into the same or a newer Postgres',
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
      return 'loaded beside the one that is there';
    },
  };
  // What is there goes on until the dump is loaded whole.
  await runSteps('Hamlet: restore', [load]);
  let isSwapped = false;
  await runSteps('Hamlet: the village stands still', [
    { name: 'operator and api end', work: async ({ doing }) => halt(place, doing) },
    { name: 'database', work: async () => (await swap(place), (isSwapped = true), undefined) },
    { name: 'sealed log', work: async ({ doing }) => replaceLog(place, join(folder, PARTS.log), doing) },
    {
      name: 'key of the log',
      work: async () =>
        (await replaceKey(place, readFileSync(join(folder, PARTS.key), 'utf8')))
          ? 'replaced by that of the backup'
          : 'the same',
    },
    { name: 'Redis', work: async () => emptyRedis(place) },
    { name: 'custom resources', work: async () => applyMissing(place, join(folder, PARTS.resources)) },
    { name: 'operator and api begin', work: async ({ doing }) => resume(place, doing) },
    { name: 'the log goes on', work: async ({ doing }) => logGoesOn(place, manifest, doing) },
    { name: 'the replaced database', work: async () => (await dropReplaced(place), 'removed') },
  ]).catch(async (error: unknown) => {
    if (isSwapped)
      console.error(
        'The restore is not whole. Mend the cause and restore again. What was replaced is in the database hamlet_replaced until then.',
      );
    else
      await runSteps('Hamlet: nothing was replaced, the village goes on', [
        { name: 'operator and api begin', work: async ({ doing }) => resume(place, doing) },
      ]);
    throw error;
  });
}

async function emptyRedis(place: Place): Promise<void> {
  await kubectl(place, ['delete', 'pod', 'hamlet-redis-0', '--ignore-not-found', '--wait']);
  await kubectl(place, ['rollout', 'status', 'statefulset/hamlet-redis', '--timeout=120s']);
}

/** What the cluster has stays as it is: its intent is newer than the backup. */
async function applyMissing(place: Place, file: string): Promise<string> {
  const list = JSON.parse(readFileSync(file, 'utf8')) as ResourceList;
  const there = JSON.parse(await kubectl(place, ['get', RESOURCE_KINDS.join(','), '-o', 'json'])) as ResourceList;
  const missing = missingFrom(list, there);
  if (missing.items.length > 0) await kubectl(place, ['create', '-f', '-'], { input: JSON.stringify(missing) });
  return `${missing.items.length} made, ${list.items.length - missing.items.length} were there and stay as they are`;
}

/** The first api seals again, with nothing broken. */
async function logGoesOn(place: Place, { sealed }: Manifest, doing: (text: string) => void): Promise<string> {
  const deadlineMs = performance.now() + SEALS_MS;
  const askOf = (pod: string): readonly string[] => [
    'exec',
    pod,
    '--container',
    'api',
    '--',
    'node',
    '--eval',
    "fetch('http://127.0.0.1:9090/metrics').then((r) => r.text()).then((t) => console.log(t))",
  ];
  for (;;) {
    const { code, stdout } = await tryKubectl(place, askOf((await podOfLog(place)) ?? LOG_DEPLOYMENT));
    const broken = /^hamlet_log_broken (\d)$/m.exec(stdout)?.[1];
    if (broken === '1')
      throw new Failure(
        'the sealed log does not fit the database that was restored, and nothing more is sealed',
        'docs/LOG.md#when-it-says-that-something-is-wrong',
      );
    const { sealed: now } = await databaseFacts(place);
    if (code === 0 && broken === '0' && now > sealed) return `${now} entries, ${now - sealed} of them since the backup`;
    doing(`${now} entries are sealed, ${sealed} were in the backup`);
    if (performance.now() > deadlineMs)
      throw new Failure(`nothing was sealed for ${SEALS_MS / 1_000} s`, `kubectl logs deployment/${LOG_DEPLOYMENT}`);
    await sleep(PAUSE_MS);
  }
}
