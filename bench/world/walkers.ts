import type { WorldEvent } from '@hamlet/contract';
import { advance, drawBelow, reduce, validateCommand } from '@hamlet/core';
import type { WorldState } from '@hamlet/core';

/** Ticks per second of the village. */
const TICKS_PER_SECOND = 10;
/** A trip lies between these, per axis, in tiles: long enough that everybody still walks when the next decision falls. */
const SHORTEST = 10;
const LONGEST = 22;
const ATTEMPTS = 20;

export const agentName = (index: number): string => `agent-${index}`;

/** Puts agents all over the map. */
export function populate(world: WorldState, agents: number, seed: number): WorldEvent[] {
  const { map } = world;
  const events: WorldEvent[] = [];
  for (let index = 0; index < agents; index += 1) {
    let tile = 0;
    for (let attempt = 0; map.walkable[tile] !== 1 || attempt === 0; attempt += 1) tile = drawBelow(map.width * map.height, seed, index, attempt);
    const event: WorldEvent = {
      seq: world.seq + 1, tick: 0, kind: 'spawn', agent_id: agentName(index), display_name: `Agent ${index}`, home: '',
      x: tile % map.width, y: Math.floor(tile / map.width), tier: 0, awake: true, online: true,
    };
    reduce(world, event);
    events.push(event);
  }
  return events;
}

/** Agents that all walk all the time: each sets out anew every few seconds, before it has arrived. Deterministic by seed. */
export class Walkers {
  readonly #world: WorldState;
  readonly #setting: { readonly agents: number; readonly decideEverySeconds: number; readonly seed: number };
  #decided = 0;

  constructor(world: WorldState, setting: { readonly agents: number; readonly decideEverySeconds: number; readonly seed: number }) {
    this.#world = world;
    this.#setting = setting;
  }

  /** Advances the world to a tick and decides for whoever is due; returns the events, already reduced. */
  tick(tick: number): WorldEvent[] {
    const events = advance(this.#world, tick);
    const { agents, decideEverySeconds } = this.#setting;
    const due = Math.floor((tick * agents) / (decideEverySeconds * TICKS_PER_SECOND));
    for (; this.#decided < due; this.#decided += 1) this.#decide(this.#decided % agents, { tick, events });
    return events;
  }

  #decide(index: number, now: { readonly tick: number; readonly events: WorldEvent[] }): void {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const far = (axis: number): number => {
        const length = SHORTEST + drawBelow(LONGEST - SHORTEST, this.#setting.seed, this.#decided, attempt, axis);
        return drawBelow(2, this.#setting.seed, this.#decided, attempt, axis + 2) === 0 ? length : -length;
      };
      const command = { kind: 'move', agent_id: agentName(index), target: { dx: far(0), dy: far(1) } } as const;
      const outcome = validateCommand(this.#world, command, now.tick);
      if (!outcome.ok) continue;
      for (const event of outcome.events) {
        reduce(this.#world, event);
        now.events.push(event);
      }
      return;
    }
  }
}
