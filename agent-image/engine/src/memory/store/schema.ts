/** Version of the tables below. A store with a greater one belongs to a newer engine. */
export const SCHEMA_VERSION = 2;
/** "HmMy": marks the file as a memory. */
export const APPLICATION_ID = 0x486d_4d79;

/**
 * `memory` and `tombstone` are the truth; the indexes of words (`word`, `term`) and vectors (`embedding`, `audience_bits`, and `bits`,
 * whose dimensions are the embedder's) are made from them. Each row of `memory` is complete in
 * itself, so that one unreadable page costs no more than its own rows. `fingerprint` finds texts that are stored already.
 */
const AUDIENCE_BITS = `
create table audience_bits (
  audience integer not null,
  seq integer not null,
  bits blob not null,
  primary key (audience, seq)
) without rowid;`;

export const SCHEMA = `${AUDIENCE_BITS}
create table header (
  one integer primary key check (one = 1),
  embedder text not null,
  dimensions integer not null,
  words_version integer not null,
  removed integer not null default 0,
  salvage text
);
create table audience (
  id integer primary key,
  members text not null unique
);
create table memory (
  seq integer primary key autoincrement,
  id text not null unique,
  kind text not null,
  layer text not null,
  text text not null,
  words text not null,
  audience integer not null,
  members text not null,
  repository text,
  at integer not null,
  taint text not null,
  importance real not null,
  pinned integer not null default 0,
  uses integer not null default 0,
  last_used_at integer,
  repeats integer not null default 0,
  last_said_at integer not null,
  dormant integer not null default 0,
  session text,
  turn integer,
  speaker text,
  subject text,
  valid_from integer,
  valid_to integer,
  supersedes text,
  superseded_by text,
  provenance text not null default '[]',
  fingerprint blob not null
);
create index memory_by_turn on memory (session, turn, seq) where session is not null;
create index memory_by_fingerprint on memory (fingerprint);
create index memory_by_subject on memory (subject, seq) where subject is not null;
create index memory_by_time on memory (at, seq);
create index memory_pinned on memory (seq) where pinned = 1;
create index memory_successor on memory (superseded_by) where superseded_by is not null;
create table source (
  source text not null,
  fact text not null,
  primary key (source, fact)
) without rowid;
create index source_by_fact on source (fact);
create table tombstone (
  number integer primary key autoincrement,
  id text not null unique,
  at integer not null
);
create virtual table word using fts5 (
  words, content = 'memory', content_rowid = 'seq', tokenize = 'unicode61 remove_diacritics 0'
);
insert into word (word, rank) values ('secure-delete', 1);
create table term (
  word text primary key,
  rows integer not null,
  named integer not null
) without rowid;
create table embedding (
  seq integer primary key,
  vector blob not null
);
pragma application_id = ${APPLICATION_ID};
pragma user_version = ${SCHEMA_VERSION};
`;

/** Statements that make the next version of each earlier one. Rows that take long are moved later, in steps of `maintain`. */
export const UPGRADES: Readonly<Record<number, string>> = { 1: AUDIENCE_BITS };
