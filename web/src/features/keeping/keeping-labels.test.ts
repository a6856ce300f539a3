import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KeptThing } from '@hamlet/contract';
import { deletedLabel, groupsOf, rowsLabel, shareOf, termLabel } from './keeping-labels.ts';

const THING: KeptThing = {
  id: 'acts',
  title: 'Audit',
  until: 'permanent',
  rule: 'Every act.',
  days: null,
  setting: null,
  deleted_by: null,
  tables: ['public.audit'],
  rows: 1_200,
  bytes: 250,
};

test('things are in groups by their rule, the largest first, without empty groups', () => {
  const things = [THING, { ...THING, id: 'books', bytes: 900 }, { ...THING, id: 'runs', until: 'count' as const }];
  assert.deepEqual(
    groupsOf({ things }).map(({ word, things: own }) => [word, own.map(({ id }) => id)]),
    [
      ['Stays permanently', ['books', 'acts']],
      ['Only the newest', ['runs']],
    ],
  );
});

test('a rule has its days, what deletes, and the setting', () => {
  assert.deepEqual([termLabel(THING), deletedLabel(THING)], ['Permanently', '']);
  assert.equal(termLabel({ days: 1, until: 'age' }), '1 day');
  assert.equal(termLabel({ days: 30, until: 'permanent' }), 'Permanently, texts 30 days');
  assert.equal(termLabel({ days: null, until: 'count' }), 'By its rule');
  assert.equal(
    deletedLabel({ deleted_by: 'egress-retention', setting: 'egress.days' }),
    'deleted by egress-retention, setting: egress.days',
  );
});

test('rows are estimates, and a share is a part of the database', () => {
  assert.deepEqual([rowsLabel(1), rowsLabel(1_200)], ['about 1 row', 'about 1,200 rows']);
  assert.equal(shareOf(THING, { at: '', archive: null, database_bytes: 1_000, things: [] }), 25);
  assert.equal(shareOf(THING, { at: '', archive: null, database_bytes: 0, things: [] }), 0);
});
