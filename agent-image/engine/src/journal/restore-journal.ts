import { renameSync, rmSync } from 'node:fs';
import type { JournalEvent } from './event.ts';
import { EVENT_VERSION } from './event.ts';
import type { Payload } from './journal.ts';
import { JournalError } from './journal.ts';
import { SALT_REF } from './mirror-payloads.ts';
import { openDatabase } from './open-database.ts';
import type { RawEvent } from './read-event.ts';
import { readEvent } from './read-event.ts';
import { COLUMNS, openSqliteJournal, toRow } from './sqlite-journal.ts';

/** Entries as a mirror returns them, oldest first, with the texts that they name. */
export type MirrorPage = Readonly<{
  entries: readonly Readonly<{ seq: number; event: RawEvent }>[];
  payloads: readonly Payload[];
}>;

/** Maximum number of open runs in a restored journal. */
const MAX_OPEN_RUNS = 1_000;

/**
 * Makes the file of a journal from its mirror, and replaces the file that is there. Its open runs count as resumed after a lost
 * volume: people decide about their unsettled `once` and `verify` calls. The mirror may lack the last entries.
 * Rejects with `JournalError` for entries that this engine cannot read; the file that is there stays.
 */
export async function restoreSqliteJournal(path: string, pages: AsyncIterable<MirrorPage>): Promise<number> {
  const beside = `${path}.restored`;
  removeDatabase(beside);
  const entries = await copyInto(beside, pages);
  if (entries === 0) return 0;
  markLost(beside);
  removeDatabase(path);
  renameSync(beside, path);
  return entries;
}

async function copyInto(path: string, pages: AsyncIterable<MirrorPage>): Promise<number> {
  let copied = 0;
  let insert: ((page: MirrorPage) => void) | null = null;
  let close = (): void => {};
  try {
    for await (const page of pages) {
      if (insert === null) {
        const database = openDatabase(path, page.payloads.find(({ ref }) => ref === SALT_REF)?.text);
        const event = database.prepare(`insert into event (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
        const payload = database.prepare('insert into payload (ref, body) values (?, ?) on conflict do nothing');
        close = () => database.close();
        insert = ({ entries, payloads }) => {
          database.exec('begin immediate');
          for (const { ref, text } of payloads) if (ref !== SALT_REF) payload.run(ref, text);
          for (const entry of entries) event.run(entry.seq, ...toRow(checked(entry.event)));
          database.exec('commit');
        };
      }
      insert(page);
      copied += page.entries.length;
    }
  } finally {
    close();
  }
  return copied;
}

function checked(event: RawEvent): JournalEvent {
  const found = readEvent(event);
  if (!found.ok) throw new JournalError(found.code, found.message);
  return found.event;
}

function markLost(path: string): void {
  const journal = openSqliteJournal(path);
  try {
    for (const { run } of journal.openRuns(MAX_OPEN_RUNS)) {
      const found = journal.eventsOf(run);
      const last = found.ok ? found.events.at(-1) : undefined;
      if (last === undefined) continue;
      const { stage, at } = last;
      const envelope = { v: EVENT_VERSION, run, stage, fence: journal.fence, at, elapsedMs: 0 } as const;
      journal.append({ events: [{ ...envelope, type: 'run_resumed', volumeLost: true }], payloads: [], sync: true });
    }
  } finally {
    journal.close();
  }
}

/** A file of a database has a log and an index beside it while it is open. */
function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
}
