import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import { MEMORY_CHANGES_MAX } from '@hamlet/contract/resident';
import { batchesOf, changesOfGraph, parseGraph, renderGraph, type GraphEntry } from './graph-file.ts';

const entity = (name: string, ...observations: string[]): GraphEntry => ({
  memory_id: `m-${name}`,
  kind: 'entity',
  name,
  type: 'thing',
  to: null,
  observations,
});
const relation = (name: string, to: string): GraphEntry => ({
  ...entity(name),
  memory_id: `m-${name}-${to}`,
  kind: 'relation',
  type: 'on',
  to,
});
const changes = (base: readonly GraphEntry[], text: string, mayDelete = true) =>
  changesOfGraph(base, parseGraph(text), { mayDelete });

test('an unchanged file gives no changes in any order of lines', () => {
  const base = [entity('mill', 'a', 'b'), entity('hill'), relation('mill', 'hill')];
  assert.deepEqual(changes(base, renderGraph(base)), []);
  assert.deepEqual(changes(base, renderGraph(base.toReversed())), []);
});

test('additions, replacements and deletions in a file change only those entries', () => {
  const base = [entity('mill', 'a', 'b'), entity('hill'), relation('mill', 'hill')];
  const now = [entity('mill', 'b', 'c'), entity('oven', 'hot'), relation('oven', 'mill')];
  assert.deepEqual(changes(base, renderGraph(now)), [
    { op: 'drop', memory_id: 'm-mill', observations: ['a'] },
    { op: 'add', name: 'mill', type: 'thing', observations: ['c'] },
    { op: 'add', name: 'oven', type: 'thing', observations: ['hot'] },
    { op: 'relate', from: 'oven', to: 'mill', type: 'on' },
    { op: 'forget', memory_id: 'm-hill' },
    { op: 'forget', memory_id: 'm-mill-hill' },
  ]);
});

test('entries of one name for different people are one line, and a change of the line reaches each of them', () => {
  const many = Array.from({ length: 40 }, (_, at) => `${at}`);
  const [common, private_] = [
    entity('mill', ...many),
    { ...entity('mill', 'secret', ...many.map((text) => `x${text}`)), memory_id: 'm-2' },
  ];
  const base = [common, private_, relation('mill', 'hill'), { ...relation('mill', 'hill'), memory_id: 'm-3' }];
  const text = renderGraph(base);
  assert.equal(text.trimEnd().split('\n').length, 2);
  assert.deepEqual(changes(base, text), [], 'the line may have more observations than an entry');
  assert.deepEqual(changes(base, text.replace('"secret",', '').replace('"39"', '"new"')), [
    { op: 'drop', memory_id: 'm-mill', observations: ['39'] },
    { op: 'drop', memory_id: 'm-2', observations: ['secret'] },
    { op: 'add', name: 'mill', type: 'thing', observations: ['new'] },
  ]);
  assert.deepEqual(pluck(changes(base, renderGraph([entity('hill')])), 'op'), [
    'add',
    'forget',
    'forget',
    'forget',
    'forget',
  ]);
});

test('a truncated or foreign file adds its entries, and deletes nothing', () => {
  const base = [entity('mill', 'a'), entity('hill')];
  const torn = `${renderGraph([entity('oven', 'hot')])}{"type":"entity","name":"mi`;
  assert.deepEqual(pluck(changes(base, torn), 'op'), ['add']);
  assert.deepEqual(changes(base, '', false), []);
  assert.deepEqual(pluck(changes(base, ''), 'op'), ['forget', 'forget']);
});

test('hostile names and texts are turned into texts that the API accepts', () => {
  const wild = [
    {
      type: 'entity',
      name: 'x'.repeat(500),
      entityType: '\u0000thing',
      observations: ['\ud800', 'y'.repeat(9_000), ''],
    },
    { type: 'entity', name: '', entityType: 'thing', observations: ['z'] },
    { type: 'entity', name: 'many', entityType: 'thing', observations: Array.from({ length: 99 }, (_, at) => `${at}`) },
    { type: 'relation', from: 'a', to: '', relationType: 'on' },
  ];
  const found = changes([], wild.map((line) => JSON.stringify(line)).join('\n'));
  const sizes = found.map((change) => (change.op === 'add' ? [change.name.length, change.observations.length] : []));
  assert.deepEqual(sizes, [
    [200, 2],
    [4, 50],
  ]);
  assert.doesNotMatch(JSON.stringify(found), /u0000|ud800/);
});

test('many changes are split into batches that fit into a request', () => {
  const text = 'x'.repeat(4_000);
  const many = Array.from({ length: 200 }, (_, at) => entity(`e${at}`, `${at}${text}`, `${text}${at}`));
  const batches = batchesOf(changes([], renderGraph(many)));
  assert.equal(batches.flat().length, 200);
  for (const batch of batches) {
    assert.ok(batch.length <= MEMORY_CHANGES_MAX);
    assert.ok(Buffer.byteLength(JSON.stringify(batch)) < 500_000);
  }
  assert.deepEqual(batchesOf([]), []);
});
