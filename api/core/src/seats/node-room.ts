import { add, amountsOf, fits, sum, timesIn, type Amounts, type Room } from './room.ts';
import type { SeatNode } from './seat-input.ts';

/** An agent on a node, which a higher rank may displace. */
export interface Seated {
  readonly key: string;
  readonly rank: number;
  readonly createdAt: string;
  readonly pinnedTo?: string | undefined;
  readonly volumeOn?: string | undefined;
  readonly size: Amounts;
}

/**
 * The room of one node while a plan is made. Mutable, because a plan seats thousands of agents one after the other; it
 * never leaves this folder.
 */
export class NodeRoom {
  readonly name: string;
  readonly open: boolean;
  /** Room for agents if there were none. */
  readonly whole: Amounts;
  /** Room once all pods are gone that are ending or displaced. */
  readonly free: number[];
  /** Room that those pods still hold. */
  readonly #clearing: number[];
  /** The highest rank of the seats here whose pods are not on the node yet. */
  #awaited = Number.NEGATIVE_INFINITY;
  #agents = 0;
  readonly #seated = new Map<number, Seated[]>();
  /** Room that the agents of each rank take. */
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

  /** Room at this moment. `own` are ending pods of the same agent: its next pod may begin beside them. */
  freeNow(own: readonly Amounts[]): Amounts {
    const free = this.free.map((value, index) => value - (this.#clearing[index] ?? 0));
    return own.reduce(sum, free);
  }

  /** Agents with a seat here. */
  get agents(): number {
    return this.#agents;
  }

  take(size: Amounts): void {
    add(this.free, size, -1);
  }

  give(size: Amounts): void {
    add(this.free, size, 1);
  }

  /** A seat here waits for its pod. */
  await(rank: number): void {
    this.#awaited = Math.max(this.#awaited, rank);
  }

  /** Whether a pod of `rank` here could take room from a seat of a higher rank that waits for its pod. */
  isAwaitedAbove(rank: number): boolean {
    return this.#awaited > rank;
  }

  /** Takes room for an agent that a higher rank may displace. */
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

  /** Gives the room of an agent back. */
  unseat(agent: Seated): void {
    const agents = this.#seated.get(agent.rank) ?? [];
    agents.splice(agents.indexOf(agent), 1);
    add(this.#byRank.get(agent.rank) ?? [], agent.size, -1);
    this.#agents -= 1;
    this.give(agent.size);
  }

  /** Whether `size` would fit if every agent below `rank` left. */
  couldFit(size: Amounts, rank: number): boolean {
    let room: number[] = this.free;
    for (const [below, taken] of this.#byRank) {
      if (below < rank) room = sum(room, taken);
    }
    return fits(size, room);
  }

  /** Agents that `rank` could displace: the lowest rank first, within it the youngest first. */
  displaceable(rank: number): Seated[] {
    const below = [...this.#seated].filter(([other]) => other < rank).toSorted(([a], [b]) => a - b);
    return below.flatMap(([, agents]) => agents.toSorted(youngestFirst));
  }
}

const youngestFirst = (a: Seated, b: Seated): number => textOrder(b.createdAt, a.createdAt) || textOrder(b.key, a.key);

/** The order of two texts by code units, for sorting. Undefined comes last. */
export function textOrder(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return Number(a > b) - Number(a < b);
}

/** Agents that have to leave a node for one of a higher rank. */
export interface Displacement {
  readonly node: NodeRoom;
  readonly victims: readonly Seated[];
}

/** The fewest agents that have to leave, the lowest rank first; those that can stay after all stay, the highest first. */
function victimsOn(node: NodeRoom, size: Amounts, rank: number): readonly Seated[] | undefined {
  if (!node.couldFit(size, rank)) return undefined;
  const room = [...node.free];
  const chosen: Seated[] = [];
  for (const agent of node.displaceable(rank)) {
    if (fits(size, room)) break;
    add(room, agent.size, 1);
    chosen.push(agent);
  }
  if (!fits(size, room)) return undefined;
  return chosen.toReversed().filter((agent) => {
    add(room, agent.size, -1);
    if (fits(size, room)) return false;
    add(room, agent.size, 1);
    return true;
  });
}

const highest = (victims: readonly Seated[]): number =>
  victims.reduce((rank, victim) => Math.max(rank, victim.rank), Number.NEGATIVE_INFINITY);

/** Prefers lower ranks, then fewer agents. */
const milderFirst = (a: Displacement, b: Displacement): number =>
  highest(a.victims) - highest(b.victims) || a.victims.length - b.victims.length;

/** The mildest way to make room for `size` on one of `nodes` by taking from lower ranks, on the first of equals; undefined if there is none. */
export function displacementFor(nodes: readonly NodeRoom[], size: Amounts, rank: number): Displacement | undefined {
  let best: Displacement | undefined;
  for (const node of nodes) {
    const victims = victimsOn(node, size, rank);
    if (victims === undefined) continue;
    const found = { node, victims };
    if (best === undefined || milderFirst(found, best) < 0) best = found;
  }
  return best;
}

/** The node with room for `size` that has the fewest agents, then the most seats left: agents spread as the scheduler spreads them. */
export function roomiest(nodes: readonly NodeRoom[], size: Amounts): NodeRoom | undefined {
  let best: { readonly node: NodeRoom; readonly times: number } | undefined;
  for (const node of nodes) {
    const times = timesIn(size, node.free);
    const isBetter =
      best === undefined || node.agents < best.node.agents || (node.agents === best.node.agents && times > best.times);
    if (times > 0 && isBetter) best = { node, times };
  }
  return best?.node;
}
