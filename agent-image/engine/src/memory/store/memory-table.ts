import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { Audience, Evidence, Fact, Layer, Remembered } from '../memory.ts';
import { conditionsOf, type Filter } from './filter.ts';
import { columnsOf, statementsOf, type Columns } from './statements.ts';
import { membersText, parseMembers } from './audiences.ts';

/** A row before it has a number. `state`, `uses` and similar fields begin as given: a salvaged row keeps them. */
export type NewRow = Remembered & Readonly<{ fingerprint: Uint8Array; words: string }>;
export type Row = Readonly<{ seq: number; memory: Remembered }>;

/** The columns that the ranking reads. */
export type RankRow = Readonly<{
  seq: number;
  id: string;
  /** The text as in the index. */
  text: string;
  /** When it was last said. */
  at: number;
  importance: number;
  uses: number;
  pinned: boolean;
  isDormant: boolean;
  /** When a fact ended or was superseded; null while it holds. */
  validTo: number | null;
  supersededBy: string | null;
}>;

type About = Readonly<{ subject: string; repository?: string | null; now: number }>;

/** The rows of memories, without their indexes. */
export type MemoryTable = ReturnType<typeof openMemoryTable>;

/** Turns between which others were left out are still neighbours up to this distance. */
const MAX_TURN_GAP = 3;

const COLUMNS = (
  'id, kind, layer, text, words, audience, members, repository, at, taint, importance, pinned, uses, last_used_at, repeats, ' +
  'last_said_at, dormant, session, turn, speaker, subject, valid_from, valid_to, supersedes, superseded_by, provenance, fingerprint'
).split(', ');

export function openMemoryTable(database: DatabaseSync) {
  const insert = database.prepare(
    `insert into memory (${COLUMNS.join(', ')}) values (${COLUMNS.map(() => '?').join(', ')}) returning seq`,
  );
  const one = database.prepare('select * from memory where id = ?');
  const bySeq = database.prepare('select * from memory where seq in (select value from json_each(?))');
  const erase = database.prepare('delete from memory where seq = ?');
  const source = database.prepare('insert or ignore into source (source, fact) values (?, ?)');
  const unsource = database.prepare('delete from source where fact = ?1 or source = ?1');
  const made = database.prepare('select fact from source where source = ?');
  const count = database.prepare('select count(*) as rows from memory');
  let size = Number(count.get()?.['rows']);
  return {
    insert: (row: NewRow, audience: number): number => {
      const seq = Number(insert.get(...valuesOf(row, audience))?.['seq']);
      size += 1;
      if (row.kind === 'fact') for (const id of row.provenance) source.run(id, row.id);
      return seq;
    },
    remove: (seq: number, id: string): void => {
      erase.run(seq);
      size -= 1;
      unsource.run(id);
    },
    find: (id: string): Row | null => readRow(one.get(id)),
    /** In any order. */
    rows: (seqs: readonly number[]): readonly Row[] => readRows(bySeq.all(JSON.stringify(seqs))),
    madeFrom: (id: string): readonly string[] => made.all(id).map(({ fact }) => String(fact)),
    size: (): number => size,
    /** Counts the rows again, after a rollback. */
    recount: (): void => void (size = Number(count.get()?.['rows'])),
    ...lookups(database),
    ...changes(database),
    ...lists(database),
    ...passes(database),
  };
}

function lookups(database: DatabaseSync) {
  const statement = statementsOf(database);
  const rank = columnsOf(
    database,
    `select seq, id, words, last_said_at, importance, uses, pinned, dormant, valid_to, superseded_by from memory
     where seq in (select value from json_each(?))`,
  );
  const beside = database.prepare(
    `select memory.seq as seq,
       (select other.seq from memory other where other.session = memory.session and other.turn < memory.turn
          and other.turn >= memory.turn - ${MAX_TURN_GAP} order by other.turn desc, other.seq limit 1) as before,
       (select other.seq from memory other where other.session = memory.session and other.turn > memory.turn
          and other.turn <= memory.turn + ${MAX_TURN_GAP} order by other.turn, other.seq limit 1) as after
     from memory where memory.session is not null and memory.seq in (select value from json_each(?))`,
  );
  const same = database.prepare(
    `select * from memory where fingerprint = ?1 and audience = ?2 and superseded_by is null and (valid_to is null or valid_to > ?3)
     order by seq limit 1`,
  );
  const ofSubject = database.prepare(
    `select * from memory where subject = ? and audience = ? and repository is ? and superseded_by is null
       and (valid_to is null or valid_to > ?) order by seq desc limit ?`,
  );
  return {
    rankRows: (seqs: readonly number[]): readonly RankRow[] => rank(JSON.stringify(seqs)).map(rankRowOf),
    /** The turns before and after each in its session. */
    neighbours: (seqs: readonly number[]): ReadonlyMap<number, readonly number[]> =>
      new Map(
        beside
          .all(JSON.stringify(seqs))
          .map(({ seq, before, after }) => [Number(seq), [before, after].filter((each) => each !== null).map(Number)]),
      ),
    /** The memory with this fingerprint, if it still holds. */
    sameAs: (fingerprint: Uint8Array, audience: number, now: number): Row | null =>
      readRow(same.get(fingerprint, audience, now)),
    factsAbout: ({ subject, repository, now }: About, audience: number, limit: number): readonly Row[] =>
      readRows(ofSubject.all(subject, audience, repository ?? null, now, limit)),
    /** Those of the given memories that the filter lets through. */
    visible: (seqs: readonly number[], filter: Filter): readonly number[] => {
      const { audiences } = filter;
      const { sql, values } = conditionsOf(filter);
      if (sql === '' && audiences === null) return seqs;
      // A set is asked sooner than SQLite, which would read the numbers of up to thousands of audiences each time.
      return statement(`select seq, audience from memory where seq in (select value from json_each(?)) ${sql}`)
        .all(JSON.stringify(seqs), ...values)
        .filter(({ audience }) => audiences?.has(Number(audience)) ?? true)
        .map(({ seq }) => Number(seq));
    },
  };
}

function rankRowOf(row: Columns): RankRow {
  const [seq, id, text, at, importance, uses, pinned, dormant, validTo, supersededBy] = row;
  return {
    seq: Number(seq),
    id: String(id),
    text: String(text),
    at: Number(at),
    importance: Number(importance),
    uses: Number(uses),
    pinned: pinned === 1,
    isDormant: dormant === 1,
    validTo: numberOrNull(validTo),
    supersededBy: textOrNull(supersededBy),
  };
}

function changes(database: DatabaseSync) {
  const repeated = database.prepare(
    'update memory set repeats = repeats + 1, last_said_at = max(last_said_at, ?), dormant = 0 where seq = ?',
  );
  const used = database.prepare('update memory set uses = uses + 1, last_used_at = ?, dormant = 0 where id = ?');
  const pinned = database.prepare('update memory set pinned = ?1, dormant = dormant and not ?1 where id = ?2');
  const superseded = database.prepare('update memory set superseded_by = ?, valid_to = ?, pinned = 0 where id = ?');
  const orphaned = database.prepare('update memory set superseded_by = null where superseded_by = ?');
  const dormant = database.prepare('update memory set dormant = 1 where seq in (select value from json_each(?))');
  return {
    repeat: (seq: number, at: number): void => void repeated.run(at, seq),
    use: (id: string, now: number): void => void used.run(now, id),
    pin: (id: string, isPinned: boolean): void => void pinned.run(isPinned ? 1 : 0, id),
    supersede: (id: string, by: string, at: number): void => void superseded.run(by, at, id),
    /** A fact whose successor was forgotten has ended all the same. */
    loseSuccessor: (id: string): void => void orphaned.run(id),
    demote: (seqs: readonly number[]): void => void dormant.run(JSON.stringify(seqs)),
  };
}

function lists(database: DatabaseSync) {
  const counts = database.prepare(
    `select count(*) as all_rows, count(*) filter (where kind = 'fact') as facts, sum(dormant) as dormant, sum(pinned) as pinned
     from memory`,
  );
  const pinned = database.prepare('select count(*) as rows from memory where pinned = 1 and audience = ?');
  const pins = database.prepare(
    `select seq from memory where pinned = 1 and (?1 is null or audience in (select value from json_each(?1)))
     order by seq desc limit ?2`,
  );
  return {
    pinned: (audience: number): number => Number(pinned.get(audience)?.['rows']),
    /** Pinned memories of these audiences, or of all, newest first. */
    pins: (audiences: ReadonlySet<number> | null, limit: number): readonly number[] =>
      pins.all(audiences === null ? null : JSON.stringify([...audiences]), limit).map(({ seq }) => Number(seq)),
    counts: (): Readonly<{ all: number; facts: number; dormant: number; pinned: number }> => {
      const row = counts.get();
      const [all, facts] = [Number(row?.['all_rows']), Number(row?.['facts'])];
      return { all, facts, dormant: Number(row?.['dormant'] ?? 0), pinned: Number(row?.['pinned'] ?? 0) };
    },
    /** Newest first, after the position (time, seq) of the page before. */
    list: (
      { audiences, ...filter }: Filter,
      after: readonly [at: number, seq: number] | null,
      limit: number,
    ): readonly Row[] => {
      const { sql, values } = conditionsOf(filter);
      const seen = audiences === null ? '' : 'and audience in (select value from json_each(?))';
      const numbers = audiences === null ? [] : [JSON.stringify([...audiences])];
      const from = after === null ? '' : 'and (at, seq) < (?, ?)';
      const statement = `select * from memory where true ${seen} ${sql} ${from} order by at desc, seq desc limit ?`;
      return readRows(database.prepare(statement).all(...numbers, ...values, ...(after ?? []), limit));
    },
  };
}

const STANDING = 'seq, id, kind, last_said_at, last_used_at, uses, importance, pinned, dormant, valid_to';

/** The columns that the demotion reads. */
export type StandingRow = Readonly<{
  seq: number;
  id: string;
  kind: Remembered['kind'];
  lastSaidAt: number;
  lastUsedAt: number | null;
  uses: number;
  importance: number;
  pinned: boolean;
  isDormant: boolean;
  validTo: number | null;
}>;

function passes(database: DatabaseSync) {
  const before = database.prepare('select * from memory where seq <= ? order by seq desc limit ?');
  const after = database.prepare(`select ${STANDING} from memory where seq > ? order by seq limit ?`);
  const evidence = database.prepare(
    `select ${STANDING} from memory where kind = 'evidence' and pinned = 0 order by seq`,
  );
  const waiting = database.prepare(
    `select memory.* from memory left join embedding on embedding.seq = memory.seq
     where memory.seq > ? and embedding.seq is null order by memory.seq limit ?`,
  );
  const embedded = database.prepare('select count(*) as rows from embedding');
  return {
    /** The newest memories up to this one, newest first. */
    upTo: (seq: number, limit: number): readonly Row[] => readRows(before.all(seq, limit)),
    standingsAfter: (seq: number, limit: number): readonly StandingRow[] => after.all(seq, limit).map(standingOf),
    unpinnedEvidence: (): Iterable<StandingRow> => evidence.all().map(standingOf),
    /** Memories without a vector, in order. */
    withoutVector: (seq: number, limit: number): readonly Row[] => readRows(waiting.all(seq, limit)),
    embedded: (): number => Number(embedded.get()?.['rows']),
  };
}

const standingOf = (row: Stored): StandingRow => ({
  seq: Number(row['seq']),
  id: String(row['id']),
  kind: row['kind'] === 'fact' ? 'fact' : 'evidence',
  lastSaidAt: Number(row['last_said_at']),
  lastUsedAt: numberOrNull(row['last_used_at']),
  uses: Number(row['uses']),
  importance: Number(row['importance']),
  pinned: row['pinned'] === 1,
  isDormant: row['dormant'] === 1,
  validTo: numberOrNull(row['valid_to']),
});

type Column = string | number | null | Uint8Array;

function valuesOf(row: NewRow, audience: number): Column[] {
  const columns: Readonly<Record<string, Column>> = {
    id: row.id,
    kind: row.kind,
    layer: row.layer,
    text: row.text,
    words: row.words,
    audience,
    members: membersText(row.audience),
    repository: row.repository,
    at: row.at,
    taint: row.taint,
    importance: row.importance,
    pinned: Number(row.pinned),
    uses: row.uses,
    last_used_at: row.lastUsedAt,
    repeats: row.repeats,
    last_said_at: row.lastSaidAt,
    dormant: Number(row.state === 'dormant'),
    fingerprint: row.fingerprint,
    ...(row.kind === 'evidence' ? evidenceColumns(row) : factColumns(row)),
  };
  return COLUMNS.map((name) => columns[name] ?? null);
}

const evidenceColumns = ({ session, turn, speaker }: Evidence): Record<string, Column> => ({
  session,
  turn,
  speaker,
  provenance: '[]',
});

const factColumns = (fact: Fact): Record<string, Column> => ({
  subject: fact.subject,
  valid_from: fact.validFrom,
  valid_to: fact.validTo,
  supersedes: fact.supersedes,
  superseded_by: fact.supersededBy,
  provenance: JSON.stringify(fact.provenance),
});

type Stored = Record<string, SQLOutputValue>;

export const readRows = (rows: readonly Stored[]): readonly Row[] => rows.map((row) => rowOf(row));
const readRow = (row: Stored | undefined): Row | null => (row === undefined ? null : rowOf(row));
const textOrNull = (value: SQLOutputValue | undefined): string | null => (typeof value === 'string' ? value : null);
const numberOrNull = (value: SQLOutputValue | undefined): number | null => (typeof value === 'number' ? value : null);

/** Throws if a column cannot be read. */
export function rowOf(row: Stored): Row {
  const common = {
    id: String(row['id']),
    text: String(row['text']),
    layer: String(row['layer']) as Layer,
    audience: parseMembers(String(row['members'])) as Audience,
    repository: textOrNull(row['repository']),
    at: Number(row['at']),
    taint: row['taint'] === 'outside' ? ('outside' as const) : ('none' as const),
    importance: Number(row['importance']),
    pinned: row['pinned'] === 1,
    uses: Number(row['uses']),
    lastUsedAt: numberOrNull(row['last_used_at']),
    repeats: Number(row['repeats']),
    lastSaidAt: Number(row['last_said_at']),
    state: row['dormant'] === 1 ? ('dormant' as const) : ('active' as const),
  };
  const seq = Number(row['seq']);
  if (row['kind'] === 'evidence') {
    const [session, turn, speaker] = [String(row['session']), Number(row['turn']), String(row['speaker'])];
    return { seq, memory: { ...common, kind: 'evidence', session, turn, speaker } };
  }
  return {
    seq,
    memory: {
      ...common,
      kind: 'fact',
      subject: String(row['subject']),
      validFrom: Number(row['valid_from']),
      validTo: numberOrNull(row['valid_to']),
      supersedes: textOrNull(row['supersedes']),
      supersededBy: textOrNull(row['superseded_by']),
      provenance: JSON.parse(String(row['provenance'])) as readonly string[],
    },
  };
}
