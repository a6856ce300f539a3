import { createPublicKey, hash } from 'node:crypto';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HASH_BYTES, keyId, readNote, sameBytes } from '@hamlet/core';
import { run } from '../command.ts';
import { Failure } from '../failure.ts';
import { kubectl, secretValue, tryKubectl, type Place } from '../kubectl.ts';
import { runSteps } from '../steps.ts';
import { dump } from './backup.ts';
import { databaseFacts, POSTGRES_POD, psql, saveHashes, type DatabaseFacts } from './database.ts';
import { cutLog } from './log-volume.ts';
import { PARTS } from './manifest.ts';
import type { Replacement } from './replacement.ts';

const CONTAINER = 'archive';
/** How long the archive may stand still. */
const STALLED_MS = 60_000;
const PAUSE_MS = 500;
const UNTIL_FIX = 'make restore UNTIL=2026-11-30T03:12:07Z, a moment to the second that the page Data allows';

/**
 * Dumps the village as it was at the moment into the folder: a separate Postgres replays the archive up to that moment,
 * in the container that stores the archive. The village runs meanwhile.
 */
export async function fromArchive(place: Place, until: string, folder: string): Promise<Replacement> {
  refuseMoment(until);
  let then: Then | undefined;
  try {
    await runSteps(`Hamlet: the village as it was at ${until}`, [
      { name: 'archive', work: async ({ doing }) => finishSegment(place, doing) },
      { name: 'replay', work: async () => void (await recover(place, 'open', until)) },
      { name: 'database', work: async () => void (then = await readThen(place, until)) },
      { name: 'sealed log', work: async ({ doing }) => saveLogOf(place, { facts: then, folder, until }, doing) },
      { name: 'dump', work: async ({ doing }) => dump(place, { server: 'recovered', folder, doing }) },
    ]);
  } finally {
    await recover(place, 'close').catch((error: unknown) => console.error(error));
  }
  if (then === undefined) throw new Error('a bug: the step "database" has not run');
  const { server, migration, sealed, holdings } = then;
  return {
    title: `The village: as it was at ${until}`,
    moment: until,
    folder,
    migration,
    postgres: server,
    sealed,
    holdings,
    others: [{ name: 'sealed log', work: async ({ doing }) => cutLog(place, join(folder, PARTS.log), doing) }],
    detail: { until, sealed },
  };
}

interface Then extends DatabaseFacts {
  readonly migration: string;
  /** The newest checkpoint at that moment; empty before the first one. */
  readonly note: string;
}

/** The recovered database. Throws a Failure if the village cannot continue from it. */
async function readThen(place: Place, until: string): Promise<Then> {
  const { migration, ...facts } = await databaseFacts(place, 'recovered');
  if (migration === undefined) throw new Failure(`the village was empty at ${until}; nothing was changed`, UNTIL_FIX);
  const note = await psql(place, { server: 'recovered' }, "select coalesce(note, '') from log.head");
  if (note !== '' && !isSignedBy(`${note.trimEnd()}\n`, await secretValue(place, 'hamlet-log', 'key.pem')))
    throw new Failure(
      `the log of ${until} was signed with a different key than the village has, so it would seal nothing; nothing was changed`,
      'put the key of that moment into the Secret hamlet-log and restore again, or choose a moment after the key was replaced (docs/SECRETS.md, "The key of the log")',
    );
  return { ...facts, migration, note };
}

interface Moment {
  readonly facts: Then | undefined;
  readonly folder: string;
  readonly until: string;
}

/**
 * Writes checkpoint and hashes of the log at that moment as a tar. Throws a Failure if the database lacks some of them.
 */
async function saveLogOf(place: Place, { facts, folder, until }: Moment, doing: (text: string) => void): Promise<void> {
  const { note, sealed } = facts ?? { note: '', sealed: 0 };
  writeFileSync(join(folder, 'checkpoint'), note === '' ? '' : `${note.trimEnd()}\n`);
  const hashes = join(folder, 'hashes');
  await saveHashes(place, { server: 'recovered', to: hashes }, doing);
  if (statSync(hashes).size !== sealed * HASH_BYTES)
    throw new Failure(`the sealed log of ${until} is incomplete; nothing was changed`, 'choose another moment');
  await run('tar', ['--create', '--file', join(folder, PARTS.log), '--directory', folder, 'checkpoint', 'hashes']);
}

/** True if the checkpoint names the key of the PEM text. The API checks the signature. */
function isSignedBy(note: string, pem: string): boolean {
  const { x = '' } = createPublicKey(pem).export({ format: 'jwk' });
  const publicKey = Buffer.from(x, 'base64url');
  return (readNote(note)?.signatures ?? []).some(({ name, keyId: id }) =>
    sameBytes(
      id,
      keyId({ name, publicKey }, (bytes) => hash('sha256', bytes, 'buffer')),
    ),
  );
}

function refuseMoment(until: string): void {
  const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(until) && !Number.isNaN(Date.parse(until));
  if (!isMoment) throw new Failure(`UNTIL=${until} is not a time; nothing was changed`, UNTIL_FIX);
  if (Date.parse(until) >= Date.now())
    throw new Failure(`UNTIL=${until} is in the future; nothing was changed`, UNTIL_FIX);
}

/** Makes Postgres finish its current segment, so that the archive reaches the present. */
async function finishSegment(place: Place, doing: (text: string) => void): Promise<string> {
  const names = 'jsonpath={.status.containerStatuses[*].name}';
  const { stdout } = await tryKubectl(place, ['get', 'pod', POSTGRES_POD, '-o', names]);
  if (!stdout.split(/\s+/).includes(CONTAINER))
    throw new Failure(
      `the village in namespace ${place.namespace} keeps no archive; nothing was changed`,
      'set postgres.archive.enabled for the time from now on; make restore FILE=… for moments of make backup',
    );
  // Recovery ends at a commit after the moment: here is one.
  await psql(place, {}, 'select pg_current_xact_id()');
  const segment = await psql(place, {}, 'select pg_walfile_name(pg_switch_wal())');
  let [last, sinceMs] = ['', performance.now()];
  for (;;) {
    const archived = await psql(place, {}, "select coalesce(last_archived_wal, '') from pg_stat_archiver");
    if (archived >= segment) return 'reaches the present';
    if (archived !== last) [last, sinceMs] = [archived, performance.now()];
    doing(`waiting for segment ${segment}; the archive has ${archived}`);
    if (performance.now() - sinceMs > STALLED_MS) return `does not reach the present: segment ${segment} waits`;
    await sleep(PAUSE_MS);
  }
}

async function recover(place: Place, ...args: readonly string[]): Promise<string> {
  const script = ['sh', '-c', 'exec bash "$ARCHIVE_SCRIPTS/recover.sh" "$@"', 'recover', ...args];
  return kubectl(place, ['exec', POSTGRES_POD, '--container', CONTAINER, '--', ...script], { fix: UNTIL_FIX });
}
