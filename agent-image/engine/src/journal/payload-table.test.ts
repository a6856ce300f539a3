import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openPayloadTable, PAYLOAD_SCHEMA } from './payload-table.ts';

const opened = (): DatabaseSync => {
  const database = new DatabaseSync(':memory:');
  database.exec(PAYLOAD_SCHEMA);
  return database;
};

/** The text as another engine on the same file finds it. */
const readIn = (database: DatabaseSync, ref: string): string | null => openPayloadTable(database).textOf(ref);

test('texts of every length and script come back, and large ones take less space', () => {
  const database = opened();
  const { insert, textOf } = openPayloadTable(database);
  const texts = ['', 'short', 'é'.repeat(300), '日本語'.repeat(40_000), randomBytes(3_000).toString('base64')];
  for (const text of texts) insert(`ref ${texts.indexOf(text)}`, text);
  for (const [index, text] of texts.entries()) {
    assert.equal(textOf(`ref ${index}`), text);
    assert.equal(readIn(database, `ref ${index}`), text);
  }
  const sizes = database.prepare('select length(cast(body as blob)) as size from payload order by id').all();
  assert.ok(Number(sizes[3]?.['size']) < 1_000);
  assert.ok(Number(sizes[4]?.['size']) < 3_300, 'random bytes in base64 take about as much as the bytes');
});

test('a text that an earlier schema stored is read as it stands, and a deleted one is gone once the table forgets', () => {
  const database = opened();
  const { insert, textOf, forget } = openPayloadTable(database);
  const text = 'plain '.repeat(200);
  database.prepare('insert into payload (ref, body) values (?, ?)').run('old', text);
  insert('new', text);
  assert.equal(textOf('old'), text);
  database.exec('delete from payload');
  forget();
  assert.deepEqual([textOf('old'), textOf('new')], [null, null]);
});

test('only the newest texts stay in memory', () => {
  const database = opened();
  const { insert, textOf } = openPayloadTable(database);
  for (let count = 0; count < 100; count += 1) insert(`ref ${count}`, `${count} `.repeat(1_000));
  database.exec('delete from payload');
  const left = Array.from({ length: 100 }, (_, count) => textOf(`ref ${count}`)).filter((text) => text !== null);
  assert.ok(left.join('').length <= 65_536 && left.length > 0, `${left.length} texts`);
});
