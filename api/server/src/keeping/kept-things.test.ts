/** Every table of the migrations has a rule of retention, and no rule names a table that does not exist. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase, readTableSizes } from '@hamlet/store';
import { untilEnd } from '@hamlet/test/env/at-end';
import { migratedPostgres } from '@hamlet/test/env/postgres';
import { KEEPING_RULES } from './kept-things.ts';
import { keepingView } from './keeping-view.ts';

const postgres = untilEnd(await migratedPostgres());
const db = openDatabase({ url: postgres.appUrl, poolSize: 1, onError: () => undefined });
untilEnd({ remove: () => db.destroy() });
const sizes = await readTableSizes(db);
const named = KEEPING_RULES.flatMap(({ tables }) => tables);

test('each table of the migrations is in one rule. A new table needs a line in kept-things.ts, with the retention that bounds it', () => {
  assert.deepEqual(
    named.toSorted(),
    sizes.tables.map(({ name }) => name),
  );
});

test('a rule that deletes names what deletes', () => {
  for (const { id, until, deletedBy, days, setting } of KEEPING_RULES) {
    if (until === 'age' || until === 'count' || until === 'owner') assert.ok(deletedBy !== undefined, id);
    if (days !== undefined || setting !== undefined) assert.ok(deletedBy !== undefined, id);
  }
  assert.equal(new Set(KEEPING_RULES.map(({ id }) => id)).size, KEEPING_RULES.length);
});

test('the view adds up the tables of a rule, and says what a setting of 0 means', () => {
  const days = { turns: 30, sessions: 0, egress: 90, modelTexts: 0 };
  const { things, database_bytes } = keepingView(KEEPING_RULES, { ...sizes, days, at: new Date(0) });
  const thing = (wanted: string) => things.find(({ id }) => id === wanted);
  assert.ok(
    things.every(({ bytes }) => bytes > 0) && database_bytes > things.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  assert.deepEqual([thing('turns')?.days, thing('turns')?.setting], [30, 'api.turnDays']);
  assert.deepEqual([thing('sessions')?.days, thing('model-requests')?.days], [null, 90]);
  assert.match(thing('sessions')?.rule ?? '', /stay permanently\.$/);
  assert.match(thing('model-texts')?.rule ?? '', /none are kept\.$/);
});
