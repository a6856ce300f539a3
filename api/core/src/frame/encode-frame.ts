import { ACTIVITIES, EMOTES, ITEM_KINDS } from '@hamlet/contract';
import type {
  AgentEntry,
  FrameItem,
  FrameMessage,
  FrameMessageOf,
  PathRecord,
  WorldStateFrame,
} from '@hamlet/contract';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { parseItemId } from '../world/state/item-table.ts';
import {
  FRAME_UPDATE,
  FRAME_URGENT,
  FRAME_VERSION,
  HAS_ACTIVITY,
  HAS_BEFORE,
  HAS_EMOTE,
  HAS_INVENTORY,
  HAS_SPEECH,
  IS_AWAKE,
  IS_ONLINE,
  ITEM_GONE,
  ITEM_HELD,
  ITEM_LIES,
  MESSAGE_KINDS,
  ZOOMS,
} from './frame-kinds.ts';

/** Messages encode a tick as its distance from the frame's tick. */
interface Out {
  readonly writer: ByteWriter;
  readonly tick: number;
}

/** Writes a kind, and four bits whose meaning depends on the kind, in one byte. */
function head(out: Out, kind: FrameMessage['kind'], bits = 0): void {
  out.writer.u8(MESSAGE_KINDS.indexOf(kind) | (bits << 4));
}

function path(out: Out, record: PathRecord): void {
  const { writer } = out;
  writer.signed(record.start_tick - out.tick);
  writer.varint(record.from.x);
  writer.varint(record.from.y);
  writer.signed(record.to.x - record.from.x);
  writer.signed(record.to.y - record.from.y);
}

type Showing = Pick<AgentEntry, 'awake' | 'online' | 'activity' | 'emote'>;

function showingFlags(state: Showing): number {
  return (
    (state.awake ? IS_AWAKE : 0) |
    (state.online ? IS_ONLINE : 0) |
    (state.activity === null ? 0 : HAS_ACTIVITY) |
    (state.emote === null ? 0 : HAS_EMOTE)
  );
}

function showing(out: Out, state: Showing): void {
  if (state.activity !== null) {
    out.writer.u8(ACTIVITIES.indexOf(state.activity.activity));
    out.writer.signed(state.activity.until_tick - out.tick);
  }
  if (state.emote !== null) {
    out.writer.u8(EMOTES.indexOf(state.emote.emote));
    out.writer.signed(state.emote.tick - out.tick);
  }
}

function itemName(out: Out, id: string): void {
  const parsed = parseItemId(id);
  out.writer.u8(parsed === null ? 0 : ITEM_KINDS.indexOf(parsed.kind));
  out.writer.varint(parsed?.number ?? 0);
}

function itemPlace(item: FrameItem): number {
  if (item.position !== null) return ITEM_LIES;
  return item.held_by === null ? ITEM_GONE : ITEM_HELD;
}

function itemBody(out: Out, item: FrameItem): void {
  itemName(out, item.item_id);
  if (item.position !== null) {
    out.writer.varint(item.position.x);
    out.writer.varint(item.position.y);
  } else if (item.held_by !== null) out.writer.u16(item.held_by);
}

function entry(out: Out, agent: AgentEntry): void {
  const { writer } = out;
  const more =
    (agent.speech === null ? 0 : HAS_SPEECH) |
    (agent.inventory.length === 0 ? 0 : HAS_INVENTORY) |
    (agent.before === null ? 0 : HAS_BEFORE);
  writer.u8(showingFlags(agent) | more);
  writer.u16(agent.agent);
  for (const record of agent.before === null ? [agent.path] : [agent.path, agent.before]) {
    writer.u8(record.lead);
    path(out, record);
  }
  showing(out, agent);
  if (agent.speech !== null) {
    writer.signed(agent.speech.tick - out.tick);
    writer.text(agent.speech.text);
  }
  if (agent.inventory.length > 0) {
    writer.u8(agent.inventory.length);
    for (const id of agent.inventory) itemName(out, id);
  }
}

function keyframe(out: Out, message: FrameMessageOf<'keyframe'>): void {
  head(out, 'keyframe', message.reset ? 1 : 0);
  out.writer.varint(message.cell);
  out.writer.varint(message.agents.length);
  for (const agent of message.agents) entry(out, agent);
  out.writer.varint(message.items.length);
  for (const item of message.items) {
    out.writer.u8(itemPlace(item));
    itemBody(out, item);
  }
}

function view(out: Out, message: FrameMessageOf<'view'>): void {
  head(out, 'view', ZOOMS.indexOf(message.zoom));
  for (const number of [message.x, message.y, message.width, message.height, message.pinned.length])
    out.writer.varint(number);
  for (const agent of message.pinned) out.writer.u16(agent);
}

function cluster(out: Out, message: FrameMessageOf<'cluster'>): void {
  head(out, 'cluster');
  out.writer.varint(message.cells.length);
  let last = 0;
  for (const { cell, count } of message.cells) {
    out.writer.signed(cell - last);
    out.writer.varint(count);
    last = cell;
  }
}

const WRITERS: { readonly [K in FrameMessage['kind']]: (out: Out, message: FrameMessageOf<K>) => void } = {
  clock: (out) => head(out, 'clock'),
  hello: (out, message) => {
    head(out, 'hello', message.resumed ? 1 : 0);
    out.writer.varint(message.tick_ms);
    out.writer.text(message.map_version);
  },
  view,
  agent: (out, message) => {
    head(out, 'agent');
    out.writer.u16(message.agent);
    out.writer.text(message.agent_id);
    out.writer.text(message.display_name);
  },
  keyframe,
  spawn: (out, message) => {
    head(out, 'spawn');
    entry(out, message.entry);
  },
  despawn: (out, message) => {
    head(out, 'despawn');
    out.writer.u16(message.agent);
  },
  path: (out, message) => {
    head(out, 'path', message.path.lead);
    out.writer.u16(message.agent);
    path(out, message.path);
  },
  turn: (out, message) => {
    head(out, 'turn');
    out.writer.u16(message.agent);
    out.writer.signed(message.start_tick - out.tick);
    out.writer.signed(message.dx);
    out.writer.signed(message.dy);
  },
  state: (out, message) => {
    head(out, 'state', showingFlags(message));
    out.writer.u16(message.agent);
    showing(out, message);
  },
  speech: (out, message) => {
    head(out, 'speech');
    out.writer.u16(message.agent);
    out.writer.signed(message.tick - out.tick);
    out.writer.text(message.text);
  },
  item: (out, message) => {
    head(out, 'item', itemPlace(message.item));
    itemBody(out, message.item);
  },
  cluster,
};

/** `tick` is the tick of the frame. */
export function encodeMessage(writer: ByteWriter, message: FrameMessage, tick: number): void {
  const write = WRITERS[message.kind] as (out: Out, message: FrameMessage) => void;
  write({ writer, tick }, message);
}

/** Header: version u8, type u8, epoch u16, tick u32, seq u32, little-endian. */
export const FRAME_HEADER_BYTES = 12;

export function encodeHeader(writer: ByteWriter, frame: Omit<WorldStateFrame, 'type' | 'messages'>): void {
  writer.u8(FRAME_VERSION);
  writer.u8(frame.urgent ? FRAME_URGENT : FRAME_UPDATE);
  writer.u16(frame.epoch);
  writer.u32(frame.tick);
  writer.u32(frame.seq);
}

export function encodeFrame(frame: WorldStateFrame): Uint8Array {
  const writer = new ByteWriter();
  encodeHeader(writer, frame);
  for (const message of frame.messages) encodeMessage(writer, message, frame.tick);
  return writer.finish();
}
