import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { WorldEvent } from '@hamlet/contract';
import { createWorld, decodeEvents, reduce, restoreWorld, snapshotWorld, stateHash } from '@hamlet/core';
import type { WorldMap, WorldState } from '@hamlet/core';
import { dropSnapshot, newestSnapshot, readTail } from '@hamlet/store';
import type { Db, Snapshot } from '@hamlet/store';

/** Rows of either table that one read of the log may bring. */
const TAIL_PAGE = 50_000;
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** A snapshot of a world as the store keeps it. */
export async function packSnapshot(world: WorldState): Promise<Snapshot> {
  const { seq, tick } = world;
  const hash = stateHash(world);
  const bytes = snapshotWorld(world);
  return { seq, tick, stateHash: hash, state: await compress(bytes) };
}

async function unpackSnapshot(map: WorldMap, snapshot: Snapshot): Promise<WorldState | null> {
  try {
    const world = restoreWorld(map, await decompress(snapshot.state));
    return stateHash(world) === snapshot.stateHash ? world : null;
  } catch {
    return null;
  }
}

/** The events of a read of the log, in order, from the one after `seq` up to the first gap. */
function follow(tail: { readonly events: readonly WorldEvent[]; readonly chunks: readonly Uint8Array[] }, seq: number): readonly WorldEvent[] {
  const all = [...tail.events, ...tail.chunks.flatMap((chunk) => decodeEvents(chunk))].filter((event) => event.seq > seq).toSorted((a, b) => a.seq - b.seq);
  const gap = all.findIndex((event, index) => event.seq !== seq + 1 + index);
  return gap < 0 ? all : all.slice(0, gap);
}

/** Every durable event after `seq`, in order, handed over page by page. */
export async function readEventsAfter(db: Db, seq: number, take: (events: readonly WorldEvent[]) => void): Promise<void> {
  for (let last = seq; ; ) {
    const events = follow(await readTail(db, last, TAIL_PAGE), last);
    const newest = events.at(-1);
    if (newest === undefined) return;
    take(events);
    last = newest.seq;
  }
}

export interface RecoverOptions {
  readonly db: Db;
  readonly map: WorldMap;
  readonly seed: number;
  /** Hears of a snapshot that does not restore to its own hash; it is dropped and an older one taken. */
  readonly onBadSnapshot: (seq: number) => void;
  /** Hears of every event that is replayed after the snapshot, once it is applied. */
  readonly onReplayed?: (world: WorldState, event: WorldEvent) => void;
}

/** The durable world: the newest snapshot that is whole, and the events after it. */
export async function recoverWorld(options: RecoverOptions): Promise<WorldState> {
  const { db, map } = options;
  const world = (await newestWholeSnapshot(options)) ?? createWorld(map, options.seed);
  await readEventsAfter(db, world.seq, (events) => {
    for (const event of events) {
      reduce(world, event);
      options.onReplayed?.(world, event);
    }
  });
  return world;
}

async function newestWholeSnapshot({ db, map, onBadSnapshot }: RecoverOptions): Promise<WorldState | null> {
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const snapshot = await newestSnapshot(db, before);
    if (snapshot === null) return null;
    const world = await unpackSnapshot(map, snapshot);
    if (world !== null) return world;
    onBadSnapshot(snapshot.seq);
    await dropSnapshot(db, snapshot.seq);
    before = snapshot.seq;
  }
}

/** The durable world as a copy of one that is known already: its state, and whatever was committed since. */
export async function copyDurableWorld(db: Db, known: WorldState): Promise<WorldState> {
  const copy = restoreWorld(known.map, snapshotWorld(known));
  await readEventsAfter(db, copy.seq, (events) => {
    for (const event of events) reduce(copy, event);
  });
  return copy;
}
