import { add, amountsOf, fits, sum, timesIn, type Amounts, type Room } from './room.ts';
import type { SeatNode } from './seat-input.ts';

/** A seated agent. An agent of a higher rank may displace it. */
export interface Seated {
  readonly key: string;
  readonly rank: number;
  readonly createdAt: string;
  readonly pinnedTo?: string | undefined;
  readonly volumeOn?: string | undefined;
  readonly size: Amounts;
}

/** The room of a node during a plan. Mutable for speed: a plan seats thousands of agents. */
export class NodeRoom {
  readonly name: string;
  readonly open: boolean;
  readonly short: boolean;
  /** Room without any agent of this village. */
  readonly whole: Amounts;
  /** Room after all ending and displaced pods are gone. */
  readonly free: number[];
  /** Room that ending and displaced pods still hold. */
  readonly #clearing: number[];
  /** The highest rank of the seats whose pods do not exist yet. */
  #awaited = Number.NEGATIVE_INFINITY;
  #agents = 0;
  readonly #seated = new Map<number, Seated[]>();
  readonly #byRank = new Map<number, number[]>();

  constructor(node: SeatNode, reserve: Room, devices: readonly string[]) {
    this.name = node.name;
    this.open = node.open;
    this.short = node.short === true;
    const left = amountsOf(node.allocatable, devices);
    add(left, amountsOf(node.taken, devices), -1);
    add(left, amountsOf(reserve, devices), -1);
    this.whole = left;
    this.free = [...left];
    this.#clearing = left.map(() => 0);
    if (node.ending !== undefined) add(this.#clearing, amountsOf(node.ending, devices), 1);
  }

  clear(size: Amounts): void {
    add(this.#clearing, size, 1);
  }

  /** `own`: room of the agent's own ending pods, which its next pod may already use. */
  freeNow(own: readonly Amounts[]): Amounts {
    const free = this.free.map((value, index) => value - (this.#clearing[index] ?? 0));
    return own.reduce(sum, free);
  }

  get agents(): number {
    return this.#agents;
  }

  take(size: Amounts): void {
    add(this.free, size, -1);
  }

  give(size: Amounts): void {
    add(this.free, size, 1);
  }

  await(rank: number): void {
    this.#awaited = Math.max(this.#awaited, rank);
  }

  /** True if a pod of `rank` could take the room of a seat of a higher rank that waits for its pod. */
  isAwaitedAbove(rank: number): boolean {
    return this.#awaited > rank;
  }

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

  unseat(agent: Seated): void {
    const agents = this.#seated.get(agent.rank) ?? [];
    agents.splice(agents.indexOf(agent), 1);
    add(this.#byRank.get(agent.rank) ?? [], agent.size, -1);
    this.#agents -= 1;
    this.give(agent.size);
  }

  couldFit(size: Amounts, rank: number): boolean {
    let room: number[] = this.free;
    for (const [below, taken] of this.#byRank) {
      if (below < rank) room = sum(room, taken);
    }
    return fits(size, room);
  }

  /** The lowest rank first, within a rank the youngest first. */
  displaceable(rank: number): Seated[] {
    const below = [...this.#seated].filter(([other]) => other < rank).toSorted(([a], [b]) => a - b);
    return below.flatMap(([, agents]) => agents.toSorted(youngestFirst));
  }
}

const youngestFirst = (a: Seated, b: Seated): number => textOrder(b.createdAt, a.createdAt) || textOrder(b.key, a.key);

/** Orders texts by code units; undefined comes last. */
export function textOrder(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return Number(a > b) - Number(a < b);
}

export interface Displacement {
  readonly node: NodeRoom;
  readonly victims: readonly Seated[];
}

/** The agents to displace, lowest ranks first, and only as many as needed; undefined if all of them do not free enough room. */
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

/** Compares displacements by their highest displaced rank, then by the number of agents. */
const milderFirst = (a: Displacement, b: Displacement): number =>
  highest(a.victims) - highest(b.victims) || a.victims.length - b.victims.length;

/** The first of equally mild displacements. */
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

/** The node with the fewest agents, then the most free seats: agents spread as the scheduler spreads pods. */
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
