import { EMOTES, TICKS_PER_TILE, type WorldEvent, type WorldEventOf } from '@hamlet/contract';
import { ByteReader } from '../bytes/byte-reader.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';

type ChunkEvent = WorldEventOf<'move' | 'arrive' | 'emote'>;

const VERSION = 1;
const KINDS = ['move', 'arrive', 'emote'] as const;

const isChunkEvent = (event: WorldEvent): event is ChunkEvent => (KINDS as readonly string[]).includes(event.kind);

/** Each id is stored once, in the order of first use. */
class Names {
  readonly list: string[] = [];
  readonly #index = new Map<string, number>();

  /** From 1; 0 for null. */
  number(name: string | null): number {
    if (name === null) return 0;
    const known = this.#index.get(name);
    if (known !== undefined) return known;
    this.list.push(name);
    this.#index.set(name, this.list.length);
    return this.list.length;
  }
}

function writeEvent(writer: ByteWriter, event: ChunkEvent, names: Names): void {
  writer.varint(names.number(event.agent_id));
  if (event.kind === 'emote') {
    writer.u8(EMOTES.indexOf(event.emote));
    return;
  }
  writer.varint(names.number(event.landmark_id));
  if (event.kind === 'arrive') {
    writer.varint(event.x);
    writer.varint(event.y);
    return;
  }
  for (const number of [event.from.x, event.from.y, event.to.x, event.to.y, event.lead]) writer.varint(number);
  writer.signed(event.start_tick - event.tick);
  writer.varint((event.arrives_tick - event.start_tick) / TICKS_PER_TILE);
}

function readEvent(
  reader: ByteReader,
  head: { seq: number; tick: number; kind: ChunkEvent['kind'] },
  names: readonly string[],
): ChunkEvent {
  const { seq, tick, kind } = head;
  const agent_id = names[reader.varint() - 1] ?? '';
  if (kind === 'emote') return { seq, tick, agent_id, kind, emote: EMOTES[reader.u8()] ?? EMOTES[0] };
  const landmark_id = names[reader.varint() - 1] ?? null;
  if (kind === 'arrive') return { seq, tick, agent_id, kind, landmark_id, x: reader.varint(), y: reader.varint() };
  const from = { x: reader.varint(), y: reader.varint() };
  const to = { x: reader.varint(), y: reader.varint() };
  const lead = reader.varint();
  const start_tick = tick + reader.signed();
  return {
    seq,
    tick,
    agent_id,
    kind,
    landmark_id,
    from,
    to,
    lead,
    start_tick,
    arrives_tick: start_tick + reader.varint() * TICKS_PER_TILE,
  };
}

/** Packs moves, arrivals and emotes into about ten bytes each. Throws for events of other kinds. */
export function encodeEvents(events: readonly WorldEvent[]): Uint8Array {
  const body = new ByteWriter();
  const names = new Names();
  let last = { seq: 0, tick: 0 };
  for (const event of events) {
    if (!isChunkEvent(event))
      throw new Error(`an event of kind ${event.kind} cannot be in a chunk: store it in a row of its own`);
    body.u8(KINDS.indexOf(event.kind));
    body.varint(event.seq - last.seq);
    body.varint(event.tick - last.tick);
    writeEvent(body, event, names);
    last = event;
  }
  const writer = new ByteWriter();
  writer.u8(VERSION);
  writer.varint(names.list.length);
  for (const name of names.list) writer.text(name);
  writer.varint(events.length);
  writer.bytes(body.finish());
  return writer.finish();
}

export function decodeEvents(bytes: Uint8Array): WorldEvent[] {
  const reader = new ByteReader(bytes);
  if (reader.u8() !== VERSION) throw new Error('the bytes are not a chunk of events');
  const names = Array.from({ length: reader.varint() }, () => reader.text());
  const events: WorldEvent[] = [];
  let [seq, tick] = [0, 0];
  for (let left = reader.varint(); left > 0; left -= 1) {
    const kind = KINDS[reader.u8()] ?? 'move';
    seq += reader.varint();
    tick += reader.varint();
    events.push(readEvent(reader, { seq, tick, kind }, names));
  }
  return events;
}
