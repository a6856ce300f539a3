import { changeMap, type WorldState } from '@hamlet/core';
import { commitMapChange } from '@hamlet/store';
import { writePlan, type MapStore } from './map-store.ts';
import { catchUp, packSnapshot } from './recover.ts';
import type { Services } from '../../service/services.ts';

interface MoveWorldOptions extends Pick<Services, 'db' | 'replicaId'> {
  readonly maps: MapStore;
  /** The version of the map to which the operator of the village has agreed; undefined without an agreement. */
  readonly agreedTo: string | undefined;
  /** The village's current tick: the new map takes over every agent at its place at this tick. */
  readonly tick: number;
}

function refusal(saved: string, current: string): string {
  return (
    `The saved world uses map ${saved}, but this version of Hamlet has map ${current}. Nothing was changed. ` +
    `To move the world to map ${current}, set HAMLET_MIGRATE_MAP_TO=${current} (chart: api.migrateMapTo) and start again: ` +
    'agents and things on tiles that the new map does not have are moved to the nearest free ones, and current paths are planned again. ' +
    `To keep the world as it is, start the version of Hamlet that has map ${saved}`
  );
}

/**
 * Brings a recovered world onto the map of this version of Hamlet. Returns a world on that map unchanged. Moves any
 * other world if `agreedTo` names that map, and throws otherwise. The move is one transaction under its own epoch, so
 * that a writer on the old map can commit nothing after it.
 */
export async function moveWorldToMap(recovered: WorldState, options: MoveWorldOptions): Promise<WorldState> {
  const { db, maps } = options;
  const { current } = maps;
  if (recovered.map.version === current.version) return recovered;
  if (options.agreedTo !== current.version) throw new Error(refusal(recovered.map.version, current.version));
  let world = recovered;
  await commitMapChange(db, options.replicaId, async () => {
    // No writer can commit from here on. Before this point, another replica may have moved the world, or the old
    // writer may have committed more.
    world = await catchUp({ db, maps }, world);
    if (world.map.version === current.version) return null;
    const moment = { seq: world.seq + 1, tick: Math.max(options.tick, world.tick) };
    world = changeMap(world, current, moment);
    return {
      event: { ...moment, kind: 'map', map_version: current.version },
      plan: writePlan(current),
      snapshot: await packSnapshot(world),
    };
  });
  return world;
}
