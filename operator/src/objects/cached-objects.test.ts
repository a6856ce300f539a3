import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cachedAgent, volumeView, type CachedAgent } from './cached-objects.ts';

const raw = (
  generation: number,
  parts: { readonly uid?: string; readonly spec?: object; readonly status?: object } = {},
): Parameters<typeof cachedAgent>[0] => ({
  metadata: { name: 'ada', namespace: 'village', uid: parts.uid ?? 'life', resourceVersion: '1', generation },
  spec: parts.spec ?? { power: 'Awake' },
  status: parts.status ?? {},
});

const READ: CachedAgent = cachedAgent(raw(1));

test('a change of the status alone does not parse the spec again', () => {
  const next = cachedAgent(raw(1, { status: { cycle: 7 } }), READ);
  assert.equal(next.spec, READ.spec);
  assert.deepEqual([next.status.cycle, next.problem], [7, undefined]);
});

test('a new generation is parsed, and so is a new uid', () => {
  assert.equal(cachedAgent(raw(2, { spec: { power: 'Asleep' } }), READ).spec?.power, 'Asleep');
  assert.equal(cachedAgent(raw(1, { uid: 'next-life', spec: { power: 'Asleep' } }), READ).spec?.power, 'Asleep');
});

test('an invalid spec stays a problem until it changes', () => {
  const broken = cachedAgent(raw(2, { spec: { power: 'Dozing' } }), READ);
  assert.equal(broken.spec, undefined);
  assert.match(broken.problem ?? '', /power/);
  assert.equal(cachedAgent(raw(2, { spec: { power: 'Dozing' } }), broken).problem, broken.problem);
  assert.equal(cachedAgent(raw(3), broken).spec?.power, 'Awake');
});

test('a volume is local if its affinity names one node', () => {
  const isLocal = (...terms: readonly object[]): boolean =>
    volumeView({
      metadata: { name: 'pv-1', uid: 'pv-uid', resourceVersion: '1' },
      spec: { nodeAffinity: { required: { nodeSelectorTerms: terms } } },
    }).local;
  const on = (key: string, ...values: string[]) => ({ matchExpressions: [{ key, operator: 'In', values }] });
  assert.equal(isLocal(on('kubernetes.io/hostname', 'sparky1')), true);
  assert.equal(isLocal({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['sparky1'] }] }), true);
  assert.equal(isLocal(on('kubernetes.io/hostname', 'sparky1', 'sparky2')), false);
  assert.equal(isLocal(on('kubernetes.io/hostname', 'sparky1'), on('kubernetes.io/hostname', 'sparky2')), false);
  assert.equal(isLocal(on('topology.kubernetes.io/zone', 'south')), false);
  assert.equal(isLocal({ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'Exists' }] }), false);
  assert.equal(volumeView({ metadata: { name: 'pv-1', uid: 'pv-uid', resourceVersion: '1' } }).local, false);
});
