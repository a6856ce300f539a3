import { ITEM_KINDS } from '@hamlet/contract';
import { ByteReader } from '../bytes/byte-reader.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { hashBytes, hashToHex } from '../bytes/hash.ts';
import type { WorldMap } from '../map/world-map.ts';
import { aliveSlots } from './describe.ts';
import { moveItem } from './move-item.ts';
import { holdPlace, seatAgent, setPath } from './reduce.ts';
import { emptyWorld, type WorldState } from './state/state.ts';

const MAGIC = 0x544c_4d48; // "HMLT"
/** Raise it with any change below: the API then skips older snapshots, counts them, and replays more events. */
const VERSION = 1;

function writeAgent(writer: ByteWriter, world: WorldState, slot: number): void {
  const { agents } = world;
  writer.varint(slot);
  for (const texts of [agents.ids, agents.names, agents.speech]) writer.text(texts[slot] ?? '');
  for (const column of [agents.flags, agents.tier, agents.lead, agents.activity, agents.emote])
    writer.u8(column[slot] ?? 0);
  const numbers = [
    agents.home,
    agents.from,
    agents.to,
    agents.startTick,
    agents.activityUntil,
    agents.emoteTick,
    agents.speechTick,
    agents.place,
  ];
  for (const column of numbers) writer.varint(column[slot] ?? 0);
}

function readAgent(reader: ByteReader, world: WorldState): void {
  const { agents } = world;
  const slot = reader.varint();
  seatAgent(world, slot, { agentId: reader.text(), name: reader.text() });
  agents.speech[slot] = reader.text();
  for (const column of [agents.flags, agents.tier, agents.lead, agents.activity, agents.emote])
    column[slot] = reader.u8();
  agents.home[slot] = reader.varint();
  const path = { from: reader.varint(), to: reader.varint(), startTick: reader.varint(), lead: agents.lead[slot] ?? 0 };
  for (const column of [agents.activityUntil, agents.emoteTick, agents.speechTick]) column[slot] = reader.varint();
  setPath(world, slot, path);
  holdPlace(world, slot, reader.varint());
}

function writeItems(writer: ByteWriter, world: WorldState): void {
  const items = [...world.items.byNumber.values()].toSorted((a, b) => a.number - b.number);
  writer.varint(world.items.next);
  writer.varint(items.length);
  for (const item of items) {
    writer.varint(item.number);
    writer.u8(ITEM_KINDS.indexOf(item.kind));
    // Each is stored plus one, so 0 means none; their order is part of the format.
    writer.varint(item.holder + 1);
    writer.varint(item.tile + 1);
  }
}

function readItems(reader: ByteReader, world: WorldState): void {
  world.items.next = reader.varint();
  for (let left = reader.varint(); left > 0; left -= 1) {
    const number = reader.varint();
    const kind = ITEM_KINDS[reader.u8()] ?? ITEM_KINDS[0];
    // Each is stored plus one, so 0 means none; their order is part of the format.
    const holder = reader.varint() - 1;
    const tile = reader.varint() - 1;
    world.items.byNumber.set(number, { number, kind, tile: -1, holder: -1 });
    moveItem(world, number, { holder, tile });
  }
}

/** Equal states give equal bytes. */
export function snapshotWorld(world: WorldState): Uint8Array {
  const writer = new ByteWriter();
  writer.u32(MAGIC);
  writer.u8(VERSION);
  writer.text(world.map.version);
  for (const number of [world.seed, world.seq, world.tick]) writer.u32(number);
  const slots = aliveSlots(world);
  writer.varint(slots.length);
  for (const slot of slots) writeAgent(writer, world, slot);
  writeItems(writer, world);
  return writer.finish();
}

/** Returns the version of the map. */
function readHead(reader: ByteReader): string {
  if (reader.u32() !== MAGIC || reader.u8() !== VERSION) throw new Error('the bytes are not a snapshot of a world');
  return reader.text();
}

/** Throws if the bytes are not a snapshot. */
export const snapshotMapVersion = (bytes: Uint8Array): string => readHead(new ByteReader(bytes));

/** Throws if the bytes are not a snapshot of this map. */
export function restoreWorld(map: WorldMap, bytes: Uint8Array): WorldState {
  const reader = new ByteReader(bytes);
  const version = readHead(reader);
  if (version !== map.version) throw new Error(`the snapshot was made on map ${version}, this is map ${map.version}`);
  const world = emptyWorld(map, { seed: reader.u32(), seq: reader.u32(), tick: reader.u32() });
  for (let left = reader.varint(); left > 0; left -= 1) readAgent(reader, world);
  readItems(reader, world);
  return world;
}

const SECOND_LANE = 0x9e37_79b9;

/** Sixteen hexadecimal digits that equal states share. */
export const stateHash = (world: WorldState): string => snapshotHash(snapshotWorld(world));

/** {@link stateHash} of the world of a snapshot. */
export function snapshotHash(bytes: Uint8Array): string {
  return hashToHex(hashBytes(bytes)) + hashToHex(hashBytes(bytes, SECOND_LANE));
}
