import type { DatabaseSync } from 'node:sqlite';
import { JournalEvent, type EventType } from './event.ts';
import { packedBody, unpackedBody } from './event-text.ts';
import { JournalError, type JournalEntry } from './journal.ts';
import { readEvent, type ReadEvent } from './read-event.ts';

export const MAX_EVENT_BYTES = 64 << 10;
const MAX_KNOWN_NAMES = 1_000;

/** Events store numbers for run, type and stage, because each of these names occurs in many events. */
export const EVENT_SCHEMA = `
create table name (
  id integer primary key,
  name text not null unique
);
create table event (
  seq integer primary key,
  run integer not null,
  v integer not null,
  type integer not null,
  stage integer not null,
  fence integer not null,
  at integer not null,
  elapsed_ms integer not null,
  body text not null
);
create index event_by_run on event (run);
`;

/** Converts the first schema, whose events stored the names themselves. The caller's transaction makes the conversion atomic. */
export const UPGRADE_FROM_1 = `
alter table event rename to event_1;
drop index event_by_run;
${EVENT_SCHEMA}
insert into name (name) select run from event_1 union select type from event_1 union select stage from event_1;
insert into event
select seq, (select id from name where name = event_1.run), v, (select id from name where name = event_1.type),
  (select id from name where name = event_1.stage), fence, at, elapsed_ms, body
from event_1;
drop table event_1;
`;

const nameOf = (column: string): string => `(select name from name where id = event.${column}) as ${column}`;
const EVENTS = `select seq, ${nameOf('run')}, v, ${nameOf('type')}, ${nameOf('stage')}, fence, at, elapsed_ms, body from event`;
const OF_RUN = 'run = (select id from name where name = ?)';

export type Row = Readonly<Record<string, unknown>>;

export type EventTable = Readonly<{
  insert: (seq: number, row: EventRow) => void;
  forgetNames: () => void;
  last: () => Readonly<{ seq: number; fence: number; version: number }>;
  ofRun: (run: string, limit: number) => Iterable<Row>;
  after: (seq: number, limit: number) => Iterable<Row>;
  ofRunAfter: (run: string, seq: number, limit: number) => Iterable<Row>;
  opensAndClosesAfter: (seq: number) => Iterable<Row>;
  /** The last event of each run that is not closed, oldest first. */
  endsOfOpenRuns: (limit: number) => readonly Row[];
}>;

export function openEventTable(database: DatabaseSync): EventTable {
  const insert = database.prepare('insert into event values (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const last = database.prepare('select seq, fence, v from event order by seq desc limit 1');
  const ofRun = database.prepare(`${EVENTS} where ${OF_RUN} order by seq limit ?`);
  const after = database.prepare(`${EVENTS} where seq > ? order by seq limit ?`);
  const ofRunAfter = database.prepare(`${EVENTS} where ${OF_RUN} and seq > ? order by seq limit ?`);
  const opensAndCloses = database.prepare(
    `${EVENTS} where seq > ? and type in (select id from name where name in ('run_opened', 'run_closed')) order by seq`,
  );
  const endsOfOpenRuns = database.prepare(
    `${EVENTS} where seq in (
      select max(seq) from event group by run having coalesce(sum(type = (select id from name where name = 'run_closed')), 0) = 0
    ) order by seq limit ?`,
  );
  const names = openNames(database);
  return {
    insert: (seq, { run, v, type, stage, fence, at, elapsedMs, body }) => {
      insert.run(seq, names.idOf(run), v, names.idOf(type), names.idOf(stage), fence, at, elapsedMs, packedBody(body));
    },
    forgetNames: names.forget,
    last: () => {
      const row = last.get();
      return { seq: Number(row?.['seq'] ?? 0), fence: Number(row?.['fence'] ?? 0), version: Number(row?.['v'] ?? 0) };
    },
    ofRun: (run, limit) => ofRun.iterate(run, limit),
    after: (seq, limit) => after.iterate(seq, limit),
    ofRunAfter: (run, seq, limit) => ofRunAfter.iterate(run, seq, limit),
    opensAndClosesAfter: (seq) => opensAndCloses.iterate(seq),
    endsOfOpenRuns: (limit) => endsOfOpenRuns.all(limit),
  };
}

function openNames(database: DatabaseSync): Readonly<{ idOf: (name: string) => number | bigint; forget: () => void }> {
  const select = database.prepare('select id from name where name = ?');
  const insert = database.prepare('insert into name (name) values (?)');
  const known = new Map<string, number | bigint>();
  const idOf = (name: string): number | bigint => {
    const found = known.get(name);
    if (found !== undefined) return found;
    if (known.size >= MAX_KNOWN_NAMES) known.clear();
    const stored = select.get(name)?.['id'];
    const id = typeof stored === 'number' ? stored : insert.run(name).lastInsertRowid;
    known.set(name, id);
    return id;
  };
  return { idOf, forget: () => known.clear() };
}

/**
 * The event of a row, or the reason why this engine cannot read it. `own`: the fence of this opening, whose events need no second
 * check; 0 to check all.
 */
export function fromRow({ run, v, type, stage, fence, at, elapsed_ms: elapsedMs, body }: Row, own: number): ReadEvent {
  try {
    const parsed: unknown = JSON.parse(unpackedBody(String(body)));
    const event = { ...(typeof parsed === 'object' ? parsed : {}), run, v, type, stage, fence, at, elapsedMs };
    return fence === own ? { ok: true, event: event as JournalEvent } : readEvent(event);
  } catch {
    return { ok: false, code: 'journal_damaged', message: `An event of the run ${String(run)} is not JSON.` };
  }
}

/** Stops at an event that this engine cannot read, so that a mirror skips nothing. */
export function readable(rows: Iterable<Row>, own: number): readonly JournalEntry[] {
  const entries: JournalEntry[] = [];
  for (const row of rows) {
    const found = fromRow(row, own);
    if (!found.ok) break;
    entries.push({ seq: Number(row['seq']), event: found.event });
  }
  return entries;
}

export type EventRow = Readonly<
  Pick<JournalEvent, 'run' | 'v' | 'type' | 'stage' | 'fence' | 'at' | 'elapsedMs'> & { body: string }
>;

/** Events of each step. The engine makes them from values that it has checked: an answer of a model, an outcome of a tool, a plan. */
const CHECKED: ReadonlySet<EventType> = new Set<EventType>([
  'model_asked',
  'model_answered',
  'tool_intent',
  'tool_settled',
  'stage_opened',
]);

/** The code of a failure comes from a tool or a model. */
const isChecked = (event: JournalEvent): boolean =>
  CHECKED.has(event.type) || (event.type === 'stage_closed' && event.flow?.end === 'done');

/** Checks all other events as a reader will, so that every stored event can be read. */
export function toRow(event: JournalEvent): EventRow {
  if (!isChecked(event)) JournalEvent.parse(event);
  const { run, v, type, stage, fence, at, elapsedMs, ...own } = event;
  const body = JSON.stringify(own);
  if (Buffer.byteLength(body) > MAX_EVENT_BYTES)
    throw new JournalError(
      'journal_too_large',
      `An event of type ${type} is larger than ${MAX_EVENT_BYTES} bytes. Shorten it.`,
    );
  return { run, v, type, stage, fence, at, elapsedMs, body };
}
