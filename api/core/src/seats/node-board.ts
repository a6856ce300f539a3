import { add, amountsOf, fits, sum, type Amounts, type Room } from './room.ts';
import type { SeatNode } from './seat-input.ts';
import { textOrder } from './text-order.ts';

/** An agent on a node, as others of higher rank see it. */
export interface Seated {
  readonly key: string;
  readonly rank: number;
  readonly createdAt: string;
  readonly pinnedTo?: string | undefined;
  readonly volumeOn?: string | undefined;
  readonly size: Amounts;
}

/**
 * What is left on one node while a plan is made. Mutable, because a plan seats thousands of agents one after the other;
 * it never leaves this folder.
 */
export class NodeBoard {
  readonly name: string;
  readonly open: boolean;
  /** What agents could have if there were none. */
  readonly whole: Amounts;
  /** What is left once all pods are gone that are ending, or that have to go for somebody. */
  readonly free: number[];
  /** What those pods still hold. */
  readonly #clearing: number[];
  #agents = 0;
  readonly #seated = new Map<number, Seated[]>();
  /** What the agents of each rank take. */
  readonly #byRank = new Map<number, number[]>();

  constructor(node: SeatNode, reserve: Room, devices: readonly string[]) {
    this.name = node.name;
    this.open = node.open;
    const left = amountsOf(node.allocatable, devices);
    add(left, amountsOf(node.taken, devices), -1);
    add(left, amountsOf(reserve, devices), -1);
    this.whole = left;
    this.free = [...left];
    this.#clearing = left.map(() => 0);
    if (node.ending !== undefined) add(this.#clearing, amountsOf(node.ending, devices), 1);
  }

  /** A pod holds room until it is gone. */
  clear(size: Amounts): void {
    add(this.#clearing, size, 1);
  }

  /** What is left at this moment. `own` are the ending pods of the same agent: its next pod may begin beside them. */
  freeNow(own: readonly Amounts[]): Amounts {
    const free = this.free.map((value, index) => value - (this.#clearing[index] ?? 0));
    return own.reduce(sum, free);
  }

  /** Agents that sit here. */
  get agents(): number {
    return this.#agents;
  }

  take(size: Amounts): void {
    add(this.free, size, -1);
  }

  give(size: Amounts): void {
    add(this.free, size, 1);
  }

  /** Takes room for an agent that runs here, and that a higher rank may displace. */
  seat(agent: Seated): void {
    const agents = this.#seated.get(agent.rank);
    if (agents === undefined) {
      this.#seated.set(agent.rank, [agent]);
      this.#byRank.set(agent.rank, [...agent.size]);
    } else {
      agents.push(agent);
      add(this.#byRank.get(agent.rank) ?? [], agent.size, 1);
    }
    this.#agents += 1;
    this.take(agent.size);
  }

  /** Takes an agent off again. */
  unseat(agent: Seated): void {
    const agents = this.#seated.get(agent.rank) ?? [];
    agents.splice(agents.indexOf(agent), 1);
    add(this.#byRank.get(agent.rank) ?? [], agent.size, -1);
    this.#agents -= 1;
    this.give(agent.size);
  }

  /** Whether `size` would go in if every agent below `rank` left. */
  couldFit(size: Amounts, rank: number): boolean {
    let room: number[] = this.free;
    for (const [below, taken] of this.#byRank) {
      if (below < rank) room = sum(room, taken);
    }
    return fits(size, room);
  }

  /** Who could be displaced for `rank`: the lowest rank first, within it the youngest first. */
  displaceable(rank: number): Seated[] {
    const below = [...this.#seated].filter(([other]) => other < rank).toSorted(([a], [b]) => a - b);
    return below.flatMap(([, agents]) => agents.toSorted(youngestFirst));
  }
}

const youngestFirst = (a: Seated, b: Seated): number => textOrder(b.createdAt, a.createdAt) || textOrder(b.key, a.key);
