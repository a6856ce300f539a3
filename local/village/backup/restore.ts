/** `make restore`: replaces the data of a running village by a backup, or by its own data of an earlier moment. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { dirname, join, resolve } from 'node:path';
import { Failure } from '../failure.ts';
import { kubectl, tryKubectl, type Place } from '../kubectl.ts';
import { STATE } from '../paths.ts';
import { confirm, runSteps, type Step } from '../steps.ts';
import { requirePostgres } from './backup.ts';
import { asSuperuser, databaseFacts, dropReplaced, makeBeside, recordRestore, RESTORED, swap } from './database.ts';
import { fromArchive } from './from-archive.ts';
import { FILE_FIX, fromFile } from './from-file.ts';
import { halt, resume } from './halt.ts';
import { LOG_DEPLOYMENT, podOfLog } from './log-volume.ts';
import { holdingsText, isEmpty, PARTS } from './manifest.ts';
import { refuseReplacement, type Replacement } from './replacement.ts';
import { removeEndedSignIns, rightsTakenSince } from './revoked.ts';
import { transfer } from './stream.ts';

const SEALS_MS = 60_000;
const PAUSE_MS = 1_000;

/** A file of `make backup`, or a moment that the archive reaches, such as `2026-11-30T03:12:07Z`. */
type Source = { readonly file: string } | { readonly until: string };

/** Throws a Failure unless exactly one of the two is given. */
export function sourceOf({ file, until }: Readonly<Record<'file' | 'until', string | undefined>>): Source {
  if (file !== undefined && until === undefined) return { file: resolve(file) };
  if (file === undefined && until !== undefined) return { until };
  throw new Failure(
    'restore needs either the file of a backup or a moment; nothing was changed',
    `${FILE_FIX}; or make restore UNTIL=2026-11-30T03:12:07Z`,
  );
}

/** Restores a backup or a moment. Every check that can refuse runs before the first change. */
export async function restore(place: Place, source: Source, { yes }: { readonly yes: boolean }): Promise<void> {
  const folder = folderFor(source);
  try {
    const replacement = await read(place, source, folder);
    await confirmReplacement(place, replacement, yes);
    await work(place, replacement, 'until' in source);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function read(place: Place, source: Source, folder: string): Promise<Replacement> {
  if ('file' in source) {
    const unpacked = await fromFile(place, source.file, folder);
    await requirePostgres(place);
    return unpacked;
  }
  await requirePostgres(place);
  return fromArchive(place, source.until, folder);
}

/** A new folder on the disk of the file, or among the files of the command. */
function folderFor(source: Source): string {
  if ('until' in source) {
    mkdirSync(STATE, { recursive: true });
    return mkdtempSync(join(STATE, '.restore-'));
  }
  if (!existsSync(source.file)) throw new Failure(`${source.file} does not exist; nothing was changed`, FILE_FIX);
  return mkdtempSync(join(dirname(source.file), '.restore-'));
}

/** Names both sides, and asks unless the village is empty. Throws a Failure if the village cannot take the data. */
async function confirmReplacement(place: Place, replacement: Replacement, yes: boolean): Promise<void> {
  const there = await databaseFacts(place);
  refuseReplacement(replacement, there);
  const isNew = isEmpty(there.holdings);
  console.log(`${replacement.title}: ${holdingsText(replacement.holdings)}`);
  console.log(
    `It replaces: ${isNew ? 'an empty village' : holdingsText(there.holdings)}, in namespace ${place.namespace}`,
  );
  const taken = there.migration === undefined ? [] : await rightsTakenSince(place, replacement.moment);
  if (taken.length > 0) console.log(`It undoes these acts; repeat those that still hold:\n${taken.join('\n')}`);
  if (!isNew && !yes)
    await confirm(
      'This replaces all present data of the village. Restore?',
      'YES=1 answers yes; make backup saves the present data first',
    );
}

async function work(place: Place, replacement: Replacement, isMoment: boolean): Promise<void> {
  const load: Step = {
    name: 'database',
    work: async ({ doing }) => {
      await makeBeside(place);
      await transfer(place, {
        ...asSuperuser('village', 'pg_restore', '--exit-on-error', '--single-transaction', '--dbname', RESTORED),
        from: join(replacement.folder, PARTS.dump),
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
    {
      name: 'sessions and API keys',
      // An archive is of this village; a file may be of another one, whose accounts are new here.
      work: async () => removeEndedSignIns(place, replacement.folder, { ofUnknown: isMoment }),
    },
    { name: 'database', work: async () => (await swap(place), (isSwapped = true), undefined) },
    ...replacement.others,
    { name: 'Redis', work: async () => emptyRedis(place) },
    { name: 'start operator and api', work: async ({ doing }) => resume(place, doing) },
    { name: 'record', work: async () => recordRestore(place, replacement.detail) },
    { name: 'next seal', work: async ({ doing }) => nextSeal(place, replacement, doing) },
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

/** Waits until the api seals an entry after those of the backup. */
async function nextSeal(place: Place, { sealed }: Replacement, doing: (text: string) => void): Promise<string> {
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
    if (code === 0 && broken === '0' && now > sealed)
      return `${now} entries, ${now - sealed} of them since the restored state`;
    doing(`${now} entries are sealed, ${sealed} were in the restored state`);
    if (performance.now() > deadlineMs)
      throw new Failure(
        `the api sealed nothing for ${SEALS_MS / 1_000} s`,
        `kubectl logs deployment/${LOG_DEPLOYMENT}`,
      );
    await sleep(PAUSE_MS);
  }
}
