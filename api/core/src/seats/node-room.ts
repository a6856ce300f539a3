import { add, amountsOf, fits, sum, timesIn, type Amounts, type Room } from './room.ts';
import type { SeatNode } from './seat-input.ts';

/** An agent with a seat on a node. An agent of a higher rank may displace it. */
export interface Seated {
  readonly key: string;
  readonly rank: number;
  readonly createdAt: string;
  readonly pinnedTo?: string | undefined;
  readonly volumeOn?: string | undefined;
  readonly size: Amounts;
}

/**
 * The room of one node during a plan. Mutable for speed: a plan seats thousands of agents one after the other. Only the files of this
 * folder use it.
 */
export class NodeRoom {
  readonly name: string;
  readonly open: boolean;
  /** Room for agents of this village if none were on the node. */
  readonly whole: Amounts;
  /** Room after all ending and displaced pods are gone. */
  readonly free: number[];
  /** Room that ending and displaced pods still hold. */
  readonly #clearing: number[];
  /** The highest rank of the seats on this node whose pods are not there yet. */
  #awaited = Number.NEGATIVE_INFINITY;
  #agents = 0;
  readonly #seated = new Map<number, Seated[]>();
  /** Room that agents take, by rank. */
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

  /** Adds room that a pod holds until it is gone. */
  clear(size: Amounts): void {
    add(this.#clearing, size, 1);
  }

  /** Free room at this moment. `own`: sizes of ending pods of the same agent, beside which its next pod may begin. */
  freeNow(own: readonly Amounts[]): Amounts {
    const free = this.free.map((value, index) => value - (this.#clearing[index] ?? 0));
    return own.reduce(sum, free);
  }

  /** Number of agents with a seat on this node. */
  get agents(): number {
    return this.#agents;
  }

  take(size: Amounts): void {
    add(this.free, size, -1);
  }

  give(size: Amounts): void {
    add(this.free, size, 1);
  }

  /** Records that a seat of `rank` on this node waits for its pod. */
  await(rank: number): void {
    this.#awaited = Math.max(this.#awaited, rank);
  }

  /** True if a seat of a higher rank on this node waits for its pod, so that a pod of `rank` could take its room. */
  isAwaitedAbove(rank: number): boolean {
    return this.#awaited > rank;
  }

  /** Gives an agent a seat and takes its room. */
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

  /** Removes the seat of an agent and returns its room. */
  unseat(agent: Seated): void {
    const agents = this.#seated.get(agent.rank) ?? [];
    agents.splice(agents.indexOf(agent), 1);
    add(this.#byRank.get(agent.rank) ?? [], agent.size, -1);
    this.#agents -= 1;
    this.give(agent.size);
  }

  /** True if `size` would fit after every agent below `rank` left. */
  couldFit(size: Amounts, rank: number): boolean {
    let room: number[] = this.free;
    for (const [below, taken] of this.#byRank) {
      if (below < rank) room = sum(room, taken);
    }
    return fits(size, room);
  }

  /** Agents that an agent of `rank` could displace: the lowest rank first, within a rank the youngest first. */
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

/** Agents that must leave a node so that an agent of a higher rank fits. */
export interface Displacement {
  readonly node: NodeRoom;
  readonly victims: readonly Seated[];
}

/**
 * Agents that must leave so that `size` fits; undefined if even all lower ranks are not enough. It chooses the lowest ranks first, then
 * drops each agent, the last chosen first, whose room turned out to be unnecessary.
 */
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

/** Orders displacements: lower ranks first, then fewer agents. */
const milderFirst = (a: Displacement, b: Displacement): number =>
  highest(a.victims) - highest(b.victims) || a.victims.length - b.victims.length;

/** The mildest displacement that makes room for `size` on one of `nodes`, the first of equals; undefined if there is none. */
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

/** The node with room for `size` that has the fewest agents, then the most free seats. So agents spread as the scheduler spreads pods. */
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
