import type { AgentEntry, FrameMessage, Landmark, WorldView, Zone } from '@hamlet/contract';
import { TERRAINS } from '@hamlet/contract';
import { buildMap, decodeFrame, encodeFrame, mapResponse } from '@hamlet/core';
import { FramedWorld } from './framed-world.ts';
import { worldMapOf } from './world-source.ts';
import type { WorldEvent } from './world-events.ts';

const LANDMARKS: readonly Landmark[] = [
  {
    landmark_id: 'cafe',
    name: 'Café',
    kind: 'cafe',
    position: { x: 7, y: 0 },
    slots: [{ x: 8, y: 0 }],
    affordances: [],
  },
];
const ZONES: readonly Zone[] = [
  { zone_id: 'town', name: 'Old town', kind: 'public', rules: [], x: 0, y: 0, width: 16, height: 4 },
];
const MAP = buildMap({
  width: 16,
  height: 4,
  terrain: new Uint8Array(64).fill(TERRAINS.indexOf('grass')),
  landmarks: LANDMARKS,
  zones: ZONES,
});
const WORLD: WorldView = {
  world_size: { width: 16, height: 4 },
  tick: 100,
  tick_ms: 100,
  epoch: 1,
  seq: 0,
  time: { day: 0, minute: 0, phase: 'night' },
  landmarks: [...LANDMARKS],
  zones: [...ZONES],
  agents: [],
  items: [],
};
const ADA: AgentEntry = {
  agent: 0,
  path: { from: { x: 0, y: 0 }, lead: 0, to: { x: 0, y: 0 }, start_tick: 90 },
  before: null,
  awake: true,
  online: true,
  activity: null,
  speech: null,
  emote: null,
  inventory: [],
};

/** One frame of the small village, as the socket sends it. */
function frame(tick: number, ...messages: FrameMessage[]): Uint8Array {
  return encodeFrame({ type: 'world_state', epoch: 1, tick, seq: tick, urgent: false, messages });
}

/** The first frame of a viewer: Ada stands at 0, 0. */
const FIRST_FRAME: readonly FrameMessage[] = [
  { kind: 'hello', map_version: MAP.version, tick_ms: 100, resumed: false },
  { kind: 'view', x: 0, y: 0, width: 1, height: 1, zoom: 'near', pinned: [0] },
  { kind: 'agent', agent: 0, agent_id: 'ada', display_name: 'Ada' },
  { kind: 'keyframe', cell: 0, reset: true, agents: [ADA], items: [] },
];

/** Ada walks to the café, which takes 32 ticks, drinks coffee there, speaks, takes an apple and falls asleep. `until` receives the frames up to a tick. */
export function adasMorning(): { readonly world: FramedWorld; until(tick: number): WorldEvent[] } {
  const awake = { kind: 'state', agent: 0, awake: true, online: true, emote: null } as const;
  const path = { from: { x: 0, y: 0 }, lead: 0, to: { x: 8, y: 0 }, start_tick: 110 };
  const frames = [
    frame(100, ...FIRST_FRAME),
    frame(105, { kind: 'path', agent: 0, path }),
    frame(110, { kind: 'path', agent: 0, path }),
    frame(150, { ...awake, activity: { activity: 'drinking_coffee', until_tick: 300 } }),
    frame(160, { kind: 'speech', agent: 0, tick: 160, text: 'Hello' }),
    frame(170, { kind: 'item', item: { item_id: 'apple-1', position: null, held_by: 0 } }),
    frame(180, { ...awake, awake: false, activity: null }),
  ];
  const world = new FramedWorld(worldMapOf(mapResponse(MAP), WORLD));
  const until = (tick: number): WorldEvent[] => {
    const later = frames.findIndex((bytes) => decodeFrame(bytes).tick > tick);
    return frames.splice(0, later === -1 ? frames.length : later).flatMap((bytes) => [...world.receive(bytes).events]);
  };
  return { world, until };
}
