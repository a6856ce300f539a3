import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../client/kube-object.ts';
import { compareVersions, ObjectCache } from './object-cache.ts';

interface Pod extends KubeObject {
  readonly node?: string;
}

const pod = (name: string, version: number, parts: { readonly uid?: string; readonly node?: string } = {}): Pod => ({
  metadata: { name, namespace: 'n', uid: parts.uid ?? `${name}-uid`, resourceVersion: String(version) },
  ...(parts.node === undefined ? {} : { node: parts.node }),
});

function cacheWithLog(): { readonly cache: ObjectCache<Pod>; readonly log: string[] } {
  const cache = new ObjectCache<Pod>({ node: ({ node }) => (node === undefined ? [] : [node]) });
  const log: string[] = [];
  cache.onChange(({ kind, key, object }) => log.push(`${kind} ${key} ${object.metadata.resourceVersion}`));
  return { cache, log };
}

test('an older version never replaces a newer one', () => {
  const { cache, log } = cacheWithLog();
  cache.see(pod('a', 10));
  cache.see(pod('a', 9));
  cache.see(pod('a', 10));
  cache.see(pod('a', 100));
  assert.deepEqual(log, ['added n/a 10', 'updated n/a 100']);
});

test('the response of a write is cached at once, and the watch event for it later reports no change', () => {
  const { cache, log } = cacheWithLog();
  cache.learn(pod('a', 10));
  assert.equal(cache.get('n/a')?.metadata.resourceVersion, '10');
  cache.see(pod('a', 10));
  assert.deepEqual(log, []);
  cache.see(pod('a', 11));
  assert.deepEqual(log, ['updated n/a 11']);
});

test('a response with the change of another client is reported, because the watch will show that change as older', () => {
  const { cache, log } = cacheWithLog();
  const at = (version: number, generation: number): Pod => ({
    metadata: { ...pod('a', version).metadata, generation },
  });
  cache.see(at(10, 1));
  // Another client wrote version 11 with generation 2. The response to this client's status write is version 12.
  cache.learn(at(12, 2));
  cache.see(at(11, 2));
  cache.see(at(12, 2));
  assert.deepEqual(log, ['added n/a 10', 'updated n/a 12']);
  cache.learn(at(13, 2));
  cache.see(at(13, 2));
  assert.equal(log.length, 2, 'a status write of this client alone reports no change');
});

test('a response that arrives after the deletion of its object does not restore it', () => {
  const { cache, log } = cacheWithLog();
  cache.see(pod('a', 10));
  cache.forget(pod('a', 12));
  cache.learn(pod('a', 11));
  assert.equal(cache.get('n/a'), undefined);
  cache.see(pod('a', 13, { uid: 'next-life' }));
  assert.deepEqual(log, ['added n/a 10', 'deleted n/a 12', 'added n/a 13']);
});

test('the deletion of an earlier uid does not affect the next object of the name', () => {
  const { cache } = cacheWithLog();
  cache.see(pod('a', 10));
  cache.learn(pod('a', 20, { uid: 'next-life' }));
  cache.forget(pod('a', 15));
  assert.equal(cache.get('n/a')?.metadata.uid, 'next-life');
});

test('a list removes objects deleted while no watch was open, and keeps objects newer than the list', () => {
  const { cache, log } = cacheWithLog();
  cache.replaceAll([pod('a', 1), pod('b', 2)], '5');
  cache.learn(pod('young', 9));
  log.length = 0;
  cache.replaceAll([pod('b', 7)], '8');
  assert.deepEqual(log, ['deleted n/a 1', 'updated n/b 7']);
  assert.deepEqual([...cache.keys()].toSorted(), ['n/b', 'n/young']);
});

test('indexes follow every change', () => {
  const { cache } = cacheWithLog();
  const names = (node: string): readonly string[] => cache.by('node', node).map(({ metadata }) => metadata.name);
  cache.see(pod('a', 1, { node: 'x' }));
  cache.see(pod('b', 2, { node: 'x' }));
  assert.deepEqual(names('x'), ['a', 'b']);
  cache.see(pod('a', 3, { node: 'y' }));
  assert.deepEqual([names('x'), names('y')], [['b'], ['a']]);
  cache.forget(pod('b', 4, { node: 'x' }));
  assert.deepEqual(names('x'), []);
});

test('an exception of one listener does not affect the others', () => {
  const errors: unknown[] = [];
  const cache = new ObjectCache<Pod>({}, (error) => errors.push(error));
  const seen: string[] = [];
  cache.onChange(() => {
    throw new Error('mine');
  });
  cache.onChange(({ key }) => seen.push(key));
  cache.see(pod('a', 1));
  assert.deepEqual([seen, errors.length, cache.size], [['n/a'], 1, 1]);
});

test('resourceVersions are compared as numbers of any length', () => {
  assert.ok(compareVersions('99', '100') < 0);
  assert.ok(compareVersions('90071992547409930', '90071992547409929') > 0);
  assert.equal(compareVersions('7', '7'), 0);
});

test('a list removes an object that left the selection, even if its last change was the newest one in the list', () => {
  const { cache } = cacheWithLog();
  cache.learn(pod('left', 8));
  cache.replaceAll([], '8');
  assert.equal(cache.size, 0);
});

test('the cache remembers the last 8,192 deletions', () => {
  const { cache } = cacheWithLog();
  for (let index = 0; index < 8_192; index += 1) cache.forget(pod(`p${index}`, 5));
  cache.learn(pod('p0', 4));
  assert.equal(cache.size, 0);
  cache.forget(pod('one-more', 5));
  cache.learn(pod('p1', 4));
  cache.learn(pod('p0', 4));
  assert.deepEqual([...cache.keys()], ['n/p0']);
});
