import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import type { Memory } from '../../memory.ts';
import { openMemory } from '../../open-memory.ts';
import { WORDS_VERSION } from '../../text/words.ts';

const MEMORIES = 520;
const FORGOTTEN = 'crate-3';
const opened = (dir: string): Memory => openMemory({ dir, clock: () => 0 });

/** Remembers the crates, except the one that the other store forgets. */
async function filled(dir: string, without: string | null): Promise<void> {
  const memory = opened(dir);
  const crates = Array.from({ length: MEMORIES }, (_, turn) => turn)
    .map((turn) => ({ id: `crate-${turn}`, turn, text: `Crate ${turn} is for Zoe, with boxes of pears` }))
    .filter(({ id }) => id !== without);
  await memory.remember(
    crates.map((crate) => ({ ...crate, kind: 'evidence', session: 's', speaker: 'Ana', audience: 'public', at: 0 })),
  );
  memory.close();
}

/** Reads the file of a closed memory. */
function inFile<T>(dir: string, read: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(dir, 'memory.db'));
  try {
    return read(database);
  } finally {
    database.close();
  }
}

const waiting = (database: DatabaseSync): readonly number[] =>
  database
    .prepare('select up_to from waiting_words')
    .all()
    .map(({ up_to: seq }) => Number(seq));

test('a store whose words have another version opens with the newest in its index, and indexes the others in steps, even after a restart', async () => {
  const [dir, fresh] = [testFolder('waiting-words'), testFolder('waiting-words')];
  await filled(dir, null);
  await filled(fresh, FORGOTTEN);
  inFile(dir, (database) =>
    database.exec("update header set words_version = 1; update memory set words = 'others'; update term set rows = 9"),
  );
  const first = opened(dir);
  const [newest] = await first.search('pears of crate 519', { audience: 'public' });
  assert.equal(newest?.memory.id, 'crate-519');
  first.forget([FORGOTTEN], { audience: 'public' });
  await first.maintain();
  first.close();
  assert.deepEqual(inFile(dir, waiting), [20]);

  opened(dir).close();
  for (const each of [dir, fresh]) {
    assert.deepEqual(inFile(each, waiting), []);
    inFile(each, (database) => database.exec("insert into word (word, rank) values ('integrity-check', 1)"));
  }
  const [words, expected] = [dir, fresh].map((each) =>
    inFile(each, (database) => [
      database.prepare('select * from term order by word').all(),
      database.prepare('select id, words from memory order by id').all(),
      database.prepare('select words_version from header').all(),
    ]),
  );
  assert.deepEqual(words, expected);
  assert.equal(
    inFile(dir, (database) => database.prepare('select words_version from header').get()?.['words_version']),
    WORDS_VERSION,
  );
});
