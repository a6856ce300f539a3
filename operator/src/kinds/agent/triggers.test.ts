import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ObjectCache, type KubeObject, type ReflectorState } from '@hamlet/kube';
import { agentOf, claimOf, container, podOf, TIER_1 } from './testing/sample-state.ts';
import { CLAIM_INDEXERS, POD_INDEXERS, VOLUME_INDEXERS } from '../../objects/watched.ts';
import { connectTriggers, effectOf } from './triggers.ts';
import { AGENT_LABEL } from '../../objects/names.ts';
import type { CachedAgent, NodeView, TierView, VolumeClaimView, VolumeView } from '../../objects/cached-objects.ts';
import type { PodView } from '../../objects/pod-view.ts';
import { serviceView, type ServiceView } from '../../objects/service-hosts.ts';

const PENDING = { nodeName: undefined, phase: 'Pending', container: undefined, given: undefined, scheduled: undefined };
const effect = (previous: PodView, object: PodView): string =>
  effectOf({ kind: 'updated', key: 'village/ada-1', previous, object });

test('the steps of a start only change the status; changes that need an action are queued', () => {
  const runs = podOf('ada-1');
  assert.equal(effect(podOf('ada-1', PENDING), podOf('ada-1', { ...PENDING, nodeName: 'sparky1' })), 'status');
  assert.equal(effect(podOf('ada-1', PENDING), runs), 'status');
  assert.equal(effect(runs, podOf('ada-1')), 'none');
  assert.equal(
    effect(
      podOf('ada-1', PENDING),
      podOf('ada-1', { ...PENDING, scheduled: { status: 'False', reason: 'Unschedulable', message: '0/2 nodes' } }),
    ),
    'status',
  );
  assert.equal(
    effect(
      podOf('ada-1', PENDING),
      podOf('ada-1', {
        ...PENDING,
        scheduled: { status: 'False', reason: 'Unschedulable', message: 'volume node affinity conflict' },
      }),
    ),
    'plan',
  );
  assert.equal(effect(runs, podOf('ada-1', { deletionTimestamp: '2026-11-22T10:00:00Z' })), 'plan');
  assert.equal(effect(runs, podOf('ada-1', { phase: 'Failed' })), 'plan');
  const restarted = container({ running: true, restarts: 1, lastEnd: 'Error with exit code 1' });
  assert.equal(effect(runs, podOf('ada-1', { handsContainer: restarted })), 'status');
  assert.equal(effect(runs, podOf('ada-1', { tier: TIER_1 })), 'plan');
  assert.equal(
    effect(podOf('ada-1', { tier: TIER_1, given: runs.given }), podOf('ada-1', { tier: TIER_1 })),
    'plan',
    'the node has resized it',
  );
});

const SYNCED: ReflectorState = {
  synced: true,
  version: '1',
  lastReceivedMs: 0,
  relists: 1,
  relistsBy: {},
  watches: 1,
  failures: 0,
};
const listed = <T extends KubeObject>(
  cache: ObjectCache<T>,
): { readonly cache: ObjectCache<T>; readonly state: ReflectorState } => ({ cache, state: SYNCED });
const nodeOf = (name: string, ready: boolean, version: string): NodeView => ({
  metadata: { name, uid: name, resourceVersion: version },
  ready,
  cordoned: false,
  allocatable: { cpuMillis: 0, memoryBytes: 0, pods: 0, devices: {} },
  taints: [],
});

const caches = () => ({
  agents: listed(new ObjectCache<CachedAgent>()),
  pods: listed(new ObjectCache<PodView>(POD_INDEXERS)),
  claims: listed(new ObjectCache<VolumeClaimView>(CLAIM_INDEXERS)),
  volumes: listed(new ObjectCache<VolumeView>(VOLUME_INDEXERS)),
  tiers: listed(new ObjectCache<TierView>()),
  nodes: listed(new ObjectCache<NodeView>()),
  services: listed(new ObjectCache<ServiceView>()),
});

test('a change of a node affects the agents that run on it, have their volume on it or are bound to it, but no other waiting agent', () => {
  const kinds = caches();
  const agent = (
    name: string,
    parts: { readonly on?: string; readonly volumeOn?: string; readonly pinnedTo?: string },
  ): void => {
    const labels = { [AGENT_LABEL]: name };
    const base = agentOf(parts.pinnedTo === undefined ? {} : { spec: { placement: { nodeName: parts.pinnedTo } } });
    const pod = podOf(`${name}-1`, { nodeName: parts.on });
    const claim = claimOf(`${name}-uid`, parts.volumeOn === undefined ? {} : { node: parts.volumeOn });
    kinds.agents.cache.see({ ...base, metadata: { ...base.metadata, name, uid: `${name}-uid` } });
    kinds.pods.cache.see({ ...pod, metadata: { ...pod.metadata, labels } });
    kinds.claims.cache.see({
      ...claim,
      metadata: { ...claim.metadata, name: `${name}-home`, uid: `${name}-claim`, labels },
    });
  };
  kinds.nodes.cache.see(nodeOf('sparky1', true, '1'));
  agent('ada', { on: 'sparky1' });
  agent('bob', { volumeOn: 'sparky1' });
  agent('eve', { pinnedTo: 'sparky1' });
  agent('joe', { on: 'sparky2' });
  for (let index = 0; index < 100; index += 1) agent(`waits-${index}`, {});
  const notified: string[] = [];
  connectTriggers(kinds, { add: (key) => notified.push(`work ${key}`), touch: (key) => notified.push(`tell ${key}`) });

  kinds.nodes.cache.see(nodeOf('sparky1', false, '2'));
  assert.deepEqual(notified.splice(0), ['work village/ada', 'work village/bob', 'tell village/eve']);
  kinds.nodes.cache.see(nodeOf('sparky1', false, '3'));
  assert.deepEqual(notified, [], 'a heartbeat has no effect');
});

test('a new address of a Service that agents reach affects every agent; its loss and other changes affect none', () => {
  const kinds = caches();
  kinds.agents.cache.see(agentOf({}));
  const changed: string[] = [];
  connectTriggers(kinds, {
    add: (key, urgency) => changed.push(`${key} ${urgency}`),
    touch: (key) => changed.push(key),
  });
  const service = (resourceVersion: string, clusterIP: string): ServiceView =>
    serviceView({ metadata: { name: 'hamlet-broker', uid: 'uid', resourceVersion }, spec: { clusterIP } });
  const after = (change: () => void): readonly string[] => {
    change();
    return changed.splice(0);
  };
  assert.deepEqual(
    after(() => kinds.services.cache.see(service('1', '10.96.0.12'))),
    ['village/ada bulk'],
  );
  assert.deepEqual(
    after(() => kinds.services.cache.see(service('2', '10.96.0.12'))),
    [],
  );
  assert.deepEqual(
    after(() => kinds.services.cache.see(service('3', '10.96.0.13'))),
    ['village/ada bulk'],
  );
  assert.deepEqual(
    after(() => kinds.services.cache.forget(service('4', '10.96.0.13'))),
    [],
  );
});

test('a new, changed or deleted Entitlement affects every agent; a change of its status affects none', () => {
  const kinds = caches();
  kinds.agents.cache.see(agentOf({}));
  const notified: string[] = [];
  connectTriggers(kinds, {
    add: (key, urgency) => notified.push(`${key} ${urgency}`),
    touch: (key) => notified.push(key),
  });
  const tier = (resourceVersion: string, generation: number): TierView => ({
    ...TIER_1,
    metadata: { ...TIER_1.metadata, resourceVersion, generation },
  });
  const notifiedAfter = (change: () => void): readonly string[] => {
    change();
    return notified.splice(0);
  };
  assert.deepEqual(
    [
      notifiedAfter(() => kinds.tiers.cache.see(tier('11', 1))),
      notifiedAfter(() => kinds.tiers.cache.see(tier('12', 1))),
      notifiedAfter(() => kinds.tiers.cache.see(tier('13', 2))),
      notifiedAfter(() => kinds.tiers.cache.forget(tier('14', 2))),
    ],
    [['village/ada bulk'], [], ['village/ada bulk'], ['village/ada bulk']],
  );
});
