import type { DatabaseSync } from 'node:sqlite';
import type { JournalEvent } from './event.ts';
import type { RunRow } from './journal.ts';

/** Increment it with every change of the table: a table with an older version is rebuilt from the events. */
const PROJECTION_VERSION = 2;

const SCHEMA = `
drop table if exists run;
drop table if exists projected;
create table run (
  run text primary key,
  conversation text not null,
  parent text,
  is_open integer not null,
  opened_seq integer not null
);
create index run_by_conversation on run (conversation, opened_seq);
create table projected (version integer not null, seq integer not null);
insert into projected values (${PROJECTION_VERSION}, 0);
`;

/** A projection of the runs: which ones are open, and which belong to a conversation. It can be rebuilt from the events. */
export type RunTable = Readonly<{
  /** Applies events in order, in the caller's transaction. Only events that open or close a run change the table. */
  apply: (seq: number, event: JournalEvent) => void;
  /** The position of the last event that changed the table. */
  seq: () => number;
  row: (run: string) => RunRow | null;
  lastOf: (conversation: string) => RunRow | null;
  open: () => readonly string[];
}>;

const MAX_OPEN_RUNS = 1_000;

export function openRunTable(database: DatabaseSync): RunTable {
  if (versionOf(database) !== PROJECTION_VERSION) database.exec(SCHEMA);
  const insert = database.prepare('insert into run values (?, ?, ?, 1, ?)');
  const close = database.prepare('update run set is_open = 0 where run = ?');
  const seq = database.prepare('select seq from projected');
  const saveSeq = database.prepare('update projected set seq = ?');
  const row = database.prepare('select * from run where run = ?');
  const lastOf = database.prepare('select * from run where conversation = ? order by opened_seq desc limit 1');
  const open = database.prepare('select run from run where is_open = 1 order by opened_seq limit ?');
  return {
    apply: (place, event) => {
      if (event.type === 'run_opened') {
        insert.run(event.run, event.conversation, event.parent?.run ?? null, place);
      } else if (event.type === 'run_closed') close.run(event.run);
      else return;
      saveSeq.run(place);
    },
    seq: () => Number(seq.get()?.['seq'] ?? 0),
    row: (run) => rowFrom(row.get(run)),
    lastOf: (conversation) => rowFrom(lastOf.get(conversation)),
    open: () => open.all(MAX_OPEN_RUNS).map(({ run }) => String(run)),
  };
}

function versionOf(database: DatabaseSync): number {
  const tables = database.prepare("select count(*) as n from sqlite_schema where name in ('run', 'projected')").get();
  if (tables?.['n'] !== 2) return 0;
  return Number(database.prepare('select version from projected').get()?.['version'] ?? 0);
}

function rowFrom(found: Readonly<Record<string, unknown>> | undefined): RunRow | null {
  if (found === undefined) return null;
  const { run, conversation, parent, is_open: isOpen } = found;
  return {
    run: String(run),
    conversation: String(conversation),
    parent: typeof parent === 'string' ? parent : null,
    isOpen: isOpen === 1,
  };
}
