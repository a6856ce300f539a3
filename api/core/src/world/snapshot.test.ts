import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terrainCode } from '../map/terrain.ts';
import { buildMap } from '../map/world-map.ts';
import { moveItem } from './move-item.ts';
import { holdPlace, seatAgent, setPath } from './reduce.ts';
import { restoreWorld, snapshotWorld } from './snapshot.ts';
import { emptyWorld, type WorldState } from './state/state.ts';

/** A meadow of 100 by 4 tiles with a garden of two slots. Its version is fixed: it is part of a snapshot. */
const map = {
  ...buildMap({
    width: 100,
    height: 4,
    terrain: new Uint8Array(400).fill(terrainCode('grass')),
    landmarks: [
      {
        landmark_id: 'garden',
        name: 'Garden',
        kind: 'garden',
        position: { x: 0, y: 3 },
        slots: [
          { x: 0, y: 3 },
          { x: 1, y: 3 },
        ],
        affordances: ['tend'],
      },
    ],
    zones: [],
  }),
  version: 'meadow',
};

/** An agent with distinct values in all fields, a held item and one on the ground. */
function smallWorld(): WorldState {
  const world = emptyWorld(map, { seed: 0x0102_0304, seq: 0x11, tick: 0x1234 });
  const { agents, items } = world;
  const slot = 1;
  seatAgent(world, slot, { agentId: 'ada', name: 'Ada' });
  agents.speech[slot] = 'hi';
  agents.flags[slot] = 7;
  agents.tier[slot] = 2;
  agents.activity[slot] = 3;
  agents.emote[slot] = 4;
  agents.home[slot] = 5;
  setPath(world, slot, { from: 130, to: 132, startTick: 0x1230, lead: 1 });
  agents.activityUntil[slot] = 0x1300;
  agents.emoteTick[slot] = 0x1231;
  agents.speechTick[slot] = 0x1232;
  holdPlace(world, slot, 2);
  items.next = 10;
  for (const [number, kind, where] of [
    [8, 'fish', { holder: slot, tile: -1 }],
    [9, 'tool', { holder: -1, tile: 299 }],
  ] as const) {
    items.byNumber.set(number, { number, kind, holder: -1, tile: -1 });
    moveItem(world, number, where);
  }
  return world;
}

/** The bytes of {@link smallWorld} in version 1. */
const BYTES = [
  '484d4c5401066d6561646f77', // magic, version, map
  '040302011100000034120000', // seed, seq, tick
  '0101', // agents, slot
  '03616461034164610268690702010304', // texts; flags, tier, lead, activity, emote
  '0582018401b024', // home, from, to, start tick
  '8026b124b22402', // end of the activity, emote tick, speech tick, place
  '0a02', // next item, items
  '08030200', // number, kind, holder, tile
  '090700ac02',
];

test('the bytes of a snapshot change only with VERSION', () => {
  assert.equal(Buffer.from(snapshotWorld(smallWorld())).toString('hex'), BYTES.join(''));
});

test('a snapshot restores the same world', () => {
  const restored = restoreWorld(map, Buffer.from(BYTES.join(''), 'hex'));
  const { agents, items } = smallWorld();
  assert.deepEqual([...restored.items.byNumber.values()], [...items.byNumber.values()]);
  assert.deepEqual(restored.agents, agents);
});

test('the bytes do not depend on the order in which items came', () => {
  const { items, ...rest } = smallWorld();
  const reversed = new Map([...items.byNumber].toReversed());
  assert.equal(
    Buffer.from(snapshotWorld({ ...rest, items: { ...items, byNumber: reversed } })).toString('hex'),
    BYTES.join(''),
  );
});
