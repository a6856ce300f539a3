import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorldStateFrame } from '@hamlet/contract';
import { MalformedBytes } from '../bytes/byte-reader.ts';
import { decodeFrame } from './decode-frame.ts';
import { encodeFrame } from './encode-frame.ts';
import { frameFromJson, frameToJson } from './frame-json.ts';

const path = { from: { x: 12, y: 200 }, lead: 3, to: { x: 300, y: 4 }, start_tick: 90_003 };
const entry = {
  agent: 4000,
  path,
  before: { ...path, lead: 1, start_tick: 89_900 },
  awake: true,
  online: false,
  activity: { activity: 'fishing' as const, until_tick: 90_400 },
  speech: { text: 'Guten Morgen, 村', tick: 89_990 },
  emote: { emote: 'wave' as const, tick: 90_000 },
  inventory: ['apple-7', 'book-70000'],
};
const plain = {
  ...entry,
  agent: 3,
  before: null,
  awake: false,
  online: true,
  activity: null,
  speech: null,
  emote: null,
  inventory: [],
};

/** One message of every kind, so that every layout is tested. */
const frame: WorldStateFrame = {
  type: 'world_state',
  epoch: 65_535,
  tick: 90_000,
  seq: 4_000_000_000,
  urgent: false,
  messages: [
    { kind: 'hello', map_version: 'abcd0123', tick_ms: 100, resumed: true },
    { kind: 'view', x: 1, y: 2, width: 5, height: 300, zoom: 'mid', pinned: [1, 65_000] },
    { kind: 'agent', agent: 4000, agent_id: 'ada', display_name: 'Ada Lovelace' },
    {
      kind: 'keyframe',
      cell: 700,
      reset: true,
      agents: [entry, plain],
      items: [{ item_id: 'tool-9', position: { x: 1, y: 2 }, held_by: null }],
    },
    { kind: 'spawn', entry },
    { kind: 'despawn', agent: 12 },
    { kind: 'path', agent: 12, path },
    { kind: 'path', agent: 13, path: { ...path, lead: 0, start_tick: 12 } },
    { kind: 'turn', agent: 12, start_tick: 90_002, dx: -64, dy: 300 },
    { kind: 'state', agent: 1, awake: true, online: true, activity: null, emote: null },
    { kind: 'state', agent: 1, awake: false, online: false, activity: entry.activity, emote: entry.emote },
    { kind: 'speech', agent: 5, tick: 90_000, text: 'x'.repeat(280) },
    { kind: 'item', item: { item_id: 'fish-1', position: null, held_by: 65_000 } },
    { kind: 'item', item: { item_id: 'fish-1', position: { x: 0, y: 0 }, held_by: null } },
    { kind: 'item', item: { item_id: 'fish-1', position: null, held_by: null } },
    {
      kind: 'cluster',
      cells: [
        { cell: 4, count: 2 },
        { cell: 5, count: 1000 },
      ],
    },
    { kind: 'clock' },
  ],
};

test('every message survives encoding and decoding, as bytes and as JSON', () => {
  assert.deepEqual(decodeFrame(encodeFrame(frame)), frame);
  assert.deepEqual(frameFromJson(frameToJson(frame)), frame);
  assert.ok(WorldStateFrame.safeParse(frame).success);
  assert.deepEqual(decodeFrame(encodeFrame({ ...frame, urgent: true })).urgent, true);
});

test('the JSON form names agents next to their slots', () => {
  const ids = new Map([[12, 'ada']]);
  const text = frameToJson(frame, (slot) => ids.get(slot));
  assert.match(text, /"agent_id":"ada"/);
  assert.ok(WorldStateFrame.safeParse(JSON.parse(text)).success);
});

test('a turn takes six bytes, a path nine and a header twelve', () => {
  const near = { from: { x: 100, y: 100 }, lead: 0, to: { x: 120, y: 90 }, start_tick: 90_003 };
  assert.equal(encodeFrame({ ...frame, messages: [{ kind: 'path', agent: 1, path: near }] }).length, 12 + 8);
  assert.equal(
    encodeFrame({ ...frame, messages: [{ kind: 'turn', agent: 1, start_tick: 90_003, dx: 20, dy: -10 }] }).length,
    12 + 6,
  );
  const wide = { ...near, from: { x: 200, y: 100 }, to: { x: 220, y: 90 } };
  assert.equal(encodeFrame({ ...frame, messages: [{ kind: 'path', agent: 1, path: wide }] }).length, 12 + 9);
});

test('bytes that end early, have another version or an unknown kind are refused', () => {
  const bytes = encodeFrame(frame);
  const ends = new Set([bytes.length]);
  for (
    let at = 12, rest = frame.messages;
    rest.length >= 0 && at <= bytes.length;
    at = encodeFrame({ ...frame, messages: rest }).length
  ) {
    ends.add(at);
    if (rest.length === 0) break;
    rest = rest.slice(0, -1);
  }
  for (let length = 0; length < bytes.length; length += 1) {
    if (!ends.has(length)) assert.throws(() => decodeFrame(bytes.subarray(0, length)), MalformedBytes);
  }
  assert.throws(() => decodeFrame(Uint8Array.from([9, ...bytes.subarray(1)])), MalformedBytes);
  assert.throws(() => decodeFrame(Uint8Array.from([...bytes.subarray(0, 12), 14])), MalformedBytes);
});
