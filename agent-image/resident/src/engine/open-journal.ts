import { renameSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Journal, MirrorPage } from '@hamlet/engine';
import { catchUpSqliteJournal, JournalError, openSqliteJournal, restoreSqliteJournal } from '@hamlet/engine';
import type { Log } from '../process/json-log.ts';
import { retry, type RetryPorts } from '../village/retry.ts';
import type { WorkVillage } from '../village/work-village.ts';
import { openBallast } from './ballast.ts';

export interface JournalPorts extends RetryPorts {
  readonly path: string;
  readonly work: Pick<WorkVillage, 'mirrored'>;
  readonly log: Log;
  readonly stop: AbortSignal;
}

type OpeningPorts = JournalPorts & { readonly makeRoom: () => boolean };

const BALLAST_FILE = 'ballast';
/** Closed runs that the pod keeps; the API keeps as many, in its mirror. The number of events bounds the time that pruning blocks. */
const KEPT = { runs: 1_000, events: 100_000 };
const PRUNE_EVERY_MS = 86_400_000;

/**
 * Opens the agent's journal. If the volume has no journal or a damaged one, restores it from the API's mirror; a damaged file is
 * kept beside it. Entries that only the mirror has are added before any other write. Rejects with `JournalError`.
 */
export async function openJournal(ports: JournalPorts): Promise<Journal> {
  const folder = dirname(ports.path);
  const ballast = openBallast(join(folder, BALLAST_FILE), folder, ports.log);
  if (isFull(folder)) ballast.giveUp();
  try {
    const journal = await openWhole({ ...ports, makeRoom: ballast.giveUp });
    const prune = (): void => pruneOld(journal, ports.log);
    prune();
    const timer = setInterval(prune, PRUNE_EVERY_MS).unref();
    return { ...journal, close: () => (clearInterval(timer), ballast.close(), journal.close()) };
  } catch (error) {
    ballast.close();
    throw error;
  }
}

/** Bounds the journal on a volume that it shares with the agent's work. A journal that cannot be pruned still serves. */
function pruneOld(journal: Journal, log: Log): void {
  try {
    const runs = journal.prune(KEPT);
    if (runs > 0) log.info('journal_pruned', { runs });
  } catch (error) {
    log.warn('journal_not_pruned', { why: String(error) });
  }
}

/** SQLite writes files even when it only opens a journal. */
const ROOM_TO_OPEN_BYTES = 1 << 20;

function isFull(folder: string): boolean {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize < ROOM_TO_OPEN_BYTES;
}

async function openWhole(ports: OpeningPorts): Promise<Journal> {
  const { path, log, makeRoom } = ports;
  const journal = openOrNull(ports);
  if (journal !== null && journal.lastSeq() > 0) return caughtUp(ports, journal);
  journal?.close();
  const entries = await restoreSqliteJournal(path, pagesOf(ports, 0));
  if (entries > 0)
    log.warn('journal_restored', {
      entries,
      message: 'the volume had no readable journal, so it was restored from the mirror',
    });
  return openSqliteJournal(path, makeRoom);
}

async function caughtUp(ports: OpeningPorts, journal: Journal): Promise<Journal> {
  const { path, log, makeRoom } = ports;
  const pages = pagesOf(ports, journal.lastSeq());
  const first = await pages.next();
  if (first.done === true) return journal;
  journal.close();
  try {
    const entries = await catchUpSqliteJournal(path, pagesFrom(first.value, pages));
    log.warn('journal_restored', {
      entries,
      message: 'the volume lacked the last entries of the journal, so they were added from the mirror',
    });
  } catch (error) {
    if (!(error instanceof JournalError) || error.code !== 'journal_foreign') throw error;
    log.warn('capability', { code: error.code, message: error.message });
  }
  return openSqliteJournal(path, makeRoom);
}

async function* pagesFrom(first: MirrorPage, rest: AsyncIterable<MirrorPage>): AsyncGenerator<MirrorPage> {
  yield first;
  yield* rest;
}

function openOrNull({ path, log, makeRoom }: OpeningPorts): Journal | null {
  try {
    return openSqliteJournal(path, makeRoom);
  } catch (error) {
    if (!(error instanceof JournalError) || error.code !== 'journal_damaged') throw error;
    log.warn('capability', { code: error.code, message: error.message });
    for (const suffix of ['', '-wal', '-shm']) moveAside(`${path}${suffix}`, `${path}.damaged${suffix}`);
    return null;
  }
}

function moveAside(path: string, to: string): void {
  try {
    renameSync(path, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}

/** The pages of the mirror after a position. An API without a mirror refuses, which counts as an empty mirror. */
async function* pagesOf({ work, stop, ...ports }: JournalPorts, from: number): AsyncGenerator<MirrorPage, undefined> {
  let after = from;
  for (;;) {
    const answer = await retry(() => work.mirrored(after), stop, ports);
    const last = answer.kind === 'ok' ? answer.value.entries.at(-1) : undefined;
    if (answer.kind !== 'ok' || last === undefined) return;
    yield answer.value;
    after = last.seq;
  }
}
