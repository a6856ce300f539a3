import type { WorldEvent } from '@hamlet/contract';
import { advance, drawBelow, reduce, validateCommand, type WorldState } from '@hamlet/core';
import type { WorldCommands } from '@hamlet/server';

/** Ticks per second of the village. */
const TICKS_PER_SECOND = 10;
/** Bounds of a trip on each axis, in tiles: long enough that every agent still walks at its next decision. */
const SHORTEST = 10;
const LONGEST = 22;
const ATTEMPTS = 20;

export const agentName = (index: number): string => `agent-${index}`;

/** Spreads agents over the map. */
export function populate(world: WorldState, agents: number, seed: number): WorldEvent[] {
  const { map } = world;
  const events: WorldEvent[] = [];
  for (let index = 0; index < agents; index += 1) {
    let tile = 0;
    for (let attempt = 0; map.walkable[tile] !== 1 || attempt === 0; attempt += 1)
      tile = drawBelow(map.width * map.height, seed, index, attempt);
    const event: WorldEvent = {
      seq: world.seq + 1,
      tick: 0,
      kind: 'spawn',
      agent_id: agentName(index),
      display_name: `Agent ${index}`,
      home: '',
      x: tile % map.width,
      y: Math.floor(tile / map.width),
      tier: 0,
      awake: true,
      online: false,
    };
    reduce(world, event);
    events.push(event);
  }
  return events;
}

/** The destination of a decision, as an offset in tiles. */
function wayOf({
  seed,
  number,
  attempt,
}: {
  readonly seed: number;
  readonly number: number;
  readonly attempt: number;
}): { readonly dx: number; readonly dy: number } {
  const far = (axis: number): number => {
    const length = SHORTEST + drawBelow(LONGEST - SHORTEST, seed, number, attempt, axis);
    return drawBelow(2, seed, number, attempt, axis + 2) === 0 ? length : -length;
  };
  return { dx: far(0), dy: far(1) };
}

/**
 * Agents that are always walking. Each chooses a new destination every few seconds, before it arrives. Deterministic by
 * seed.
 */
export class Walkers {
  readonly #world: WorldState;
  readonly #setting: { readonly agents: number; readonly decideEverySeconds: number; readonly seed: number };
  #decided = 0;

  constructor(
    world: WorldState,
    setting: { readonly agents: number; readonly decideEverySeconds: number; readonly seed: number },
  ) {
    this.#world = world;
    this.#setting = setting;
  }

  /** Advances the world to a tick and decides for the agents that are due; returns the events, already reduced. */
  tick(tick: number): WorldEvent[] {
    const events = advance(this.#world, tick);
    const { agents, decideEverySeconds } = this.#setting;
    const due = Math.floor((tick * agents) / (decideEverySeconds * TICKS_PER_SECOND));
    for (; this.#decided < due; this.#decided += 1) this.#decide(this.#decided % agents, { tick, events });
    return events;
  }

  #decide(index: number, now: { readonly tick: number; readonly events: WorldEvent[] }): void {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const command = {
        kind: 'move',
        agent_id: agentName(index),
        target: wayOf({ seed: this.#setting.seed, number: this.#decided, attempt }),
      } as const;
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

/**
 * The same decisions as {@link Walkers}, sent to the product's own writer. After a refused decision the agent tries
 * another.
 */
export class Deciders {
  readonly #commands: WorldCommands;
  readonly #setting: { readonly agents: number; readonly decideEverySeconds: number; readonly seed: number };
  #decided = 0;
  refused = 0;
  /** Number of skipped decisions: the agent's previous decision had no answer yet. */
  skipped = 0;
  readonly #unanswered = new Set<number>();

  constructor(
    commands: WorldCommands,
    setting: { readonly agents: number; readonly decideEverySeconds: number; readonly seed: number },
  ) {
    this.#commands = commands;
    this.#setting = setting;
  }

  /** Resolves once the product has accepted a first decision, so that its writer holds the lease. */
  async begin(): Promise<void> {
    const { agents } = this.#setting;
    for (let number = 0; number < agents; number += 1) if (await this.#decide(number)) return;
    throw new Error('the product refused a decision of every agent');
  }

  /** Decides for the agents that are due at a tick of the benchmark. */
  tick(tick: number): void {
    const { agents, decideEverySeconds } = this.#setting;
    const due = Math.floor((tick * agents) / (decideEverySeconds * TICKS_PER_SECOND));
    for (; this.#decided < due; this.#decided += 1) this.#decideOnce(this.#decided % agents);
  }

  /** An agent that waits for an answer does not decide, like a resident. So requests do not pile up when the product stalls. */
  #decideOnce(agent: number): void {
    if (this.#unanswered.has(agent)) {
      this.skipped += 1;
      return;
    }
    this.#unanswered.add(agent);
    void this.#decide(this.#decided).finally(() => this.#unanswered.delete(agent));
  }

  /** True when a decision is accepted; false when all attempts were refused. */
  async #decide(number: number): Promise<boolean> {
    const { agents, seed } = this.#setting;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const command = {
        kind: 'move',
        agent_id: agentName(number % agents),
        target: wayOf({ seed, number, attempt }),
      } as const;
      const answered = await this.#commands.submit({ command, durability: 'grouped', key: null }).catch(() => null);
      if (answered?.outcome.ok === true) return true;
      this.refused += 1;
    }
    return false;
  }
}
