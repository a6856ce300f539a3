import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { WorldEvent } from '@hamlet/contract';
import {
  changeMap,
  createWorld,
  reduce,
  restoreWorld,
  snapshotHash,
  snapshotMapVersion,
  snapshotWorld,
  stateHash,
} from '@hamlet/core';
import type { WorldState } from '@hamlet/core';
import { firstMapVersion, lastSeq, newestSnapshot, type Db, type Snapshot } from '@hamlet/store';
import type { MapStore } from './map-store.ts';
import { readEventsAfter } from './read-events.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

export async function packSnapshot(world: WorldState): Promise<Snapshot> {
  const { seq, tick } = world;
  const bytes = snapshotWorld(world);
  return { seq, tick, stateHash: snapshotHash(bytes), state: await compress(bytes) };
}

/** Unpacks the bytes of a snapshot and the version of its map; null if they are damaged. */
async function openSnapshot(
  snapshot: Snapshot,
): Promise<{ readonly bytes: Uint8Array; readonly mapVersion: string } | null> {
  try {
    const bytes = await decompress(snapshot.state);
    return { bytes, mapVersion: snapshotMapVersion(bytes) };
  } catch {
    return null;
  }
}

async function unpackSnapshot(maps: MapStore, snapshot: Snapshot): Promise<WorldState | null> {
  const opened = await openSnapshot(snapshot);
  if (opened === null) return null;
  const map = await maps.get(opened.mapVersion);
  try {
    const world = restoreWorld(map, opened.bytes);
    return stateHash(world) === snapshot.stateHash ? world : null;
  } catch {
    return null;
  }
}

interface RecoverOptions {
  readonly db: Db;
  readonly maps: MapStore;
  readonly seed: number;
  /** Called for a snapshot that does not restore to its own hash. The snapshot stays in the store, and recovery uses an older one. */
  readonly onBadSnapshot: (seq: number) => void;
  readonly onReplayed?: (world: WorldState, event: WorldEvent) => void;
}

/** Recovers from the newest intact snapshot and the events after it. Throws, with the fix, if there is a gap. */
export async function recoverWorld(options: RecoverOptions): Promise<WorldState> {
  const { db, maps, seed } = options;
  const saved =
    (await newestWholeSnapshot(options)) ??
    createWorld(await maps.get((await firstMapVersion(db)) ?? maps.current.version), seed);
  const world = await catchUp(options, saved);
  const { seq } = world;
  const last = await lastSeq(db);
  if (last <= seq) return world;
  const later = await catchUp(options, world);
  if (later.seq > seq) return later;
  throw new Error(
    `The log of the world has no event ${seq + 1}, but later ones up to ${last}. Nothing was changed. Restore the database from a backup`,
  );
}

/** Applies to `from` all events that were committed after its last one. The returned world is `from`, or another object on another map. */
export async function catchUp(
  { db, maps, onReplayed }: Pick<RecoverOptions, 'db' | 'maps' | 'onReplayed'>,
  from: WorldState,
): Promise<WorldState> {
  let world = from;
  await readEventsAfter(db, from.seq, async (events) => {
    for (const event of events) {
      world =
        event.kind === 'map' ? changeMap(world, await maps.get(event.map_version), event) : replayed(world, event);
      onReplayed?.(world, event);
    }
  });
  return world;
}

function replayed(world: WorldState, event: WorldEvent): WorldState {
  try {
    return reduce(world, event);
  } catch (error) {
    throw new Error(
      `Event ${event.seq} of the world's log (${event.kind}) cannot be applied on map ${world.map.version}. Nothing was changed. ` +
        'Start the version of Hamlet that wrote the log, or restore the database from a backup',
      { cause: error },
    );
  }
}

async function newestWholeSnapshot({ db, maps, onBadSnapshot }: RecoverOptions): Promise<WorldState | null> {
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const snapshot = await newestSnapshot(db, before);
    if (snapshot === null) return null;
    const world = await unpackSnapshot(maps, snapshot);
    if (world !== null) return world;
    onBadSnapshot(snapshot.seq);
    before = snapshot.seq;
  }
}

export async function copyDurableWorld(db: Db, known: WorldState): Promise<WorldState> {
  const copy = restoreWorld(known.map, snapshotWorld(known));
  await readEventsAfter(db, copy.seq, (events) => {
    for (const event of events) reduce(copy, event);
  });
  return copy;
}
