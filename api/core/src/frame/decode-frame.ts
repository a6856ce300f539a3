import { ACTIVITIES, EMOTES, ITEM_KINDS } from '@hamlet/contract';
import type { AgentEntry, FrameItem, FrameMessage, PathRecord, WorldStateFrame } from '@hamlet/contract';
import { ByteReader, MalformedBytes } from '../bytes/byte-reader.ts';
import { itemId } from '../world/state/item-table.ts';
import {
  FRAME_URGENT,
  FRAME_VERSION,
  HAS_ACTIVITY,
  HAS_BEFORE,
  HAS_EMOTE,
  HAS_INVENTORY,
  HAS_SPEECH,
  IS_AWAKE,
  IS_ONLINE,
  ITEM_HELD,
  ITEM_LIES,
  MESSAGE_KINDS,
  ZOOMS,
} from './frame-kinds.ts';

interface In {
  readonly reader: ByteReader;
  readonly tick: number;
}

/** The value at an index of a closed list. Throws {@link MalformedBytes} if there is none. */
function named<T>(list: readonly T[], index: number): T {
  const value = list[index];
  if (value === undefined) throw new MalformedBytes(`${index} is not an index of a list of ${list.length} values`);
  return value;
}

const list = <T>(count: number, read: () => T): T[] => Array.from({ length: count }, read);

function path(input: In, lead: number): PathRecord {
  const { reader } = input;
  const start_tick = input.tick + reader.signed();
  const from = { x: reader.varint(), y: reader.varint() };
  return { from, lead, to: { x: from.x + reader.signed(), y: from.y + reader.signed() }, start_tick };
}

function showing(input: In, flags: number): Pick<AgentEntry, 'awake' | 'online' | 'activity' | 'emote'> {
  const { reader, tick } = input;
  return {
    awake: (flags & IS_AWAKE) !== 0,
    online: (flags & IS_ONLINE) !== 0,
    activity:
      (flags & HAS_ACTIVITY) === 0
        ? null
        : { activity: named(ACTIVITIES, reader.u8()), until_tick: tick + reader.signed() },
    emote: (flags & HAS_EMOTE) === 0 ? null : { emote: named(EMOTES, reader.u8()), tick: tick + reader.signed() },
  };
}

function itemName(reader: ByteReader): string {
  const kind = named(ITEM_KINDS, reader.u8());
  return itemId(kind, reader.varint());
}

function item(reader: ByteReader, place: number): FrameItem {
  const item_id = itemName(reader);
  if (place === ITEM_LIES) return { item_id, position: { x: reader.varint(), y: reader.varint() }, held_by: null };
  return { item_id, position: null, held_by: place === ITEM_HELD ? reader.u16() : null };
}

function entry(input: In): AgentEntry {
  const { reader } = input;
  const flags = reader.u8();
  const agent = reader.u16();
  const record = path(input, reader.u8());
  const before = (flags & HAS_BEFORE) === 0 ? null : path(input, reader.u8());
  const state = showing(input, flags);
  return {
    agent,
    path: record,
    before,
    ...state,
    speech: (flags & HAS_SPEECH) === 0 ? null : { tick: input.tick + reader.signed(), text: reader.text() },
    inventory: (flags & HAS_INVENTORY) === 0 ? [] : list(reader.u8(), () => itemName(reader)),
  };
}

function cluster({ reader }: In): FrameMessage {
  let cell = 0;
  const cells = list(reader.varint(), () => {
    cell += reader.signed();
    return { cell, count: reader.varint() };
  });
  return { kind: 'cluster', cells };
}

const READERS: { readonly [K in FrameMessage['kind']]: (input: In, bits: number) => FrameMessage } = {
  clock: () => ({ kind: 'clock' }),
  hello: ({ reader }, bits) => ({
    kind: 'hello',
    tick_ms: reader.varint(),
    map_version: reader.text(),
    resumed: bits === 1,
  }),
  view: ({ reader }, bits) => ({
    kind: 'view',
    x: reader.varint(),
    y: reader.varint(),
    width: reader.varint(),
    height: reader.varint(),
    zoom: named(ZOOMS, bits),
    pinned: list(reader.varint(), () => reader.u16()),
  }),
  agent: ({ reader }) => ({ kind: 'agent', agent: reader.u16(), agent_id: reader.text(), display_name: reader.text() }),
  keyframe: (input, bits) => ({
    kind: 'keyframe',
    cell: input.reader.varint(),
    reset: bits === 1,
    agents: list(input.reader.varint(), () => entry(input)),
    items: list(input.reader.varint(), () => item(input.reader, input.reader.u8())),
  }),
  spawn: (input) => ({ kind: 'spawn', entry: entry(input) }),
  despawn: ({ reader }) => ({ kind: 'despawn', agent: reader.u16() }),
  path: (input, bits) => ({ kind: 'path', agent: input.reader.u16(), path: path(input, bits) }),
  turn: ({ reader, tick }) => ({
    kind: 'turn',
    agent: reader.u16(),
    start_tick: tick + reader.signed(),
    dx: reader.signed(),
    dy: reader.signed(),
  }),
  state: (input, bits) => ({ kind: 'state', agent: input.reader.u16(), ...showing(input, bits) }),
  speech: ({ reader, tick }) => ({
    kind: 'speech',
    agent: reader.u16(),
    tick: tick + reader.signed(),
    text: reader.text(),
  }),
  item: ({ reader }, bits) => ({ kind: 'item', item: item(reader, bits) }),
  cluster,
};

/** Decodes a frame. Throws {@link MalformedBytes} if the bytes are not a frame. */
export function decodeFrame(bytes: Uint8Array): WorldStateFrame {
  const reader = new ByteReader(bytes);
  const version = reader.u8();
  if (version !== FRAME_VERSION) throw new MalformedBytes(`frame version ${version}, wanted ${FRAME_VERSION}`);
  const urgent = reader.u8() === FRAME_URGENT;
  const frame = { type: 'world_state' as const, urgent, epoch: reader.u16(), tick: reader.u32(), seq: reader.u32() };
  const messages: FrameMessage[] = [];
  while (!reader.done) {
    const byte = reader.u8();
    messages.push(READERS[named(MESSAGE_KINDS, byte & 15)]({ reader, tick: frame.tick }, byte >> 4));
  }
  return { ...frame, messages };
}
