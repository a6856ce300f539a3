import type { DatabaseSync } from 'node:sqlite';
import { WORDS_VERSION } from '../../text/words.ts';
import { inTransaction } from '../open-store.ts';

const TABLE = 'create table if not exists waiting_words (version integer not null, up_to integer not null)';

/**
 * The memories that the index of words lacks since its version changed: those up to a number. They are indexed in steps, newest
 * first. The header gets the new version at the end, so that an earlier engine indexes all of them.
 */
export interface WaitingWords {
  /** The greatest number that waits; 0 if none does. */
  upTo(): number;
  /** Memories up to this number wait; 0 for none. Its caller has a transaction open. */
  setUpTo(seq: number): void;
}

/** Empties an index of another version: then all memories wait. */
export function openWaitingWords(database: DatabaseSync): WaitingWords {
  database.exec(TABLE);
  const read = database.prepare('select up_to from waiting_words where version = ?');
  const add = database.prepare('insert into waiting_words (version, up_to) values (?, ?)');
  const indexed = database.prepare('update header set words_version = ?');
  const setUpTo = (seq: number): void => {
    database.exec('delete from waiting_words');
    if (seq > 0) add.run(WORDS_VERSION, seq);
    else indexed.run(WORDS_VERSION);
  };
  const version = database.prepare('select words_version from header').get()?.['words_version'];
  if (version === WORDS_VERSION) database.exec('delete from waiting_words');
  else if (read.get(WORDS_VERSION) === undefined)
    inTransaction(database, () => {
      database.exec("insert into word (word) values ('delete-all'); delete from term;");
      setUpTo(Number(database.prepare('select max(seq) as last from memory').get()?.['last']));
    });
  return { upTo: () => Number(read.get(WORDS_VERSION)?.['up_to'] ?? 0), setUpTo };
}
