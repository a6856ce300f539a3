/** Seats of agents whose volume only one node can mount. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VOLUME_NODE_ANNOTATION } from '../../objects/names.ts';
import { TIER_0 } from '../agent/testing/sample-state.ts';
import { World } from './testing/seat-world.ts';

test('an agent with a local volume gets no seat on another node: while its node is closed it waits, or keeps its waiting pod', () => {
  const world = new World([{ name: 'a', cordoned: true }, { name: 'b' }]);
  const meta = (name: string) => ({ name, namespace: 'village', uid: `${name}-uid`, resourceVersion: world.version() });
  const withVolume = (name: string, local: boolean): string => {
    const claim = meta(`${name}-home`);
    world.claims.see({ metadata: { ...claim, annotations: { [VOLUME_NODE_ANNOTATION]: 'a' } } });
    world.volumes.see({ metadata: meta(`${name}-pv`), claimUid: claim.uid, local });
    return world.agent(name);
  };
  const [ada, bob, eve] = [withVolume('ada', true), withVolume('bob', false), withVolume('eve', true)];
  world.pod('eve', TIER_0, null);
  world.planner.start();
  const closed = { reason: 'NodeClosed', blocking: 'node a' };
  assert.deepEqual(
    [ada, bob, eve].map((key) => world.planner.seatOf(key)),
    [
      { granted: false, ...closed, position: 2 },
      { granted: true, node: 'b' },
      { granted: true, ...closed, position: 1 },
    ],
  );
  world.node('a');
  world.planner.replan();
  for (const key of [ada, eve]) assert.deepEqual(world.planner.seatOf(key), { granted: true, node: 'a' });
});
