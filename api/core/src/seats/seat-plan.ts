import { enqueue, firstServed, type SizedTier, type Want } from './serving-order.ts';
import { displacementFor, NodeRoom, roomiest, textOrder, type Seated } from './node-room.ts';
import { amountsOf, beyond, differInDevices, fits, isWithin, timesIn, type Amounts, type Room } from './room.ts';
import type { SeatRequest, SeatInput } from './seat-input.ts';
import { queuePlace, type SeatDecision, shortage } from './seat-decision.ts';

/** Seats of one tier over all nodes. */
export interface TierSeats {
  /** Agents of this tier that the nodes could hold without other agents of this village. */
  readonly total: number;
  /** Agents of this tier that could have a seat now without a displacement. */
  readonly free: number;
}

/** The seat of an agent on a node. */
interface Seat {
  readonly node: NodeRoom;
  readonly seated: Seated;
}

/** The plan's record of an agent. */
interface Entry {
  readonly tier: SizedTier;
  /** Undefined while it has no seat. */
  readonly seat?: Seat | undefined;
  readonly decision: SeatDecision;
}

const nameOf = (key: string): string => key.slice(key.indexOf('/') + 1);

const devicesOf = (sizes: readonly Room[]): readonly string[] =>
  [
    ...new Set(
      sizes.flatMap(({ devices }) => Object.entries(devices).flatMap(([name, count]) => (count > 0 ? [name] : []))),
    ),
  ].toSorted();

/** Bought seats have names of their own, so that they differ from the tier's and from each other. */
const nameOfSeat = (tier: string, { rank, size }: NonNullable<SeatRequest['seat']>): string =>
  `${tier} ${JSON.stringify([rank, size.devices])}`;

/**
 * The seats of all agents. Higher ranks come first; within a rank running agents keep their seats, then the agent that
 * waits longest has the next. A running agent loses its seat only to a higher rank, the lowest rank first. A node is
 * never filled beyond its room; one that foreign pods have overfilled gets no new agent.
 *
 * Made once for one moment by {@link seatPlan}. The only thing that changes it afterwards is {@link admit}.
 */
export class SeatPlan {
  readonly #nodes = new Map<string, NodeRoom>();
  readonly #open: readonly NodeRoom[];
  readonly #devices: readonly string[];
  readonly #tiers = new Map<string, SizedTier>();
  readonly #entries = new Map<string, Entry>();
  /** One object for all agents on a node. */
  readonly #grants = new Map<string, SeatDecision>();
  readonly #queue: Want[] = [];
  readonly #waiting: { readonly want: Want; readonly decision: SeatDecision }[] = [];

  constructor({ nodes, tiers, requests, reserve }: SeatInput) {
    this.#devices = devicesOf([
      ...tiers.map(({ size }) => size),
      ...requests.flatMap(({ seat }) => (seat === undefined ? [] : [seat.size])),
    ]);
    for (const node of nodes.toSorted((a, b) => textOrder(a.name, b.name)))
      this.#nodes.set(node.name, new NodeRoom(node, reserve, this.#devices));
    this.#open = [...this.#nodes.values()].filter(({ open }) => open);
    for (const tier of tiers)
      this.#tiers.set(tier.name, { name: tier.name, rank: tier.rank, size: amountsOf(tier.size, this.#devices) });
    for (const request of requests) this.#clear(request);
    for (const request of requests) this.#take(request);
    this.#serveAll();
    this.#rankWaiting();
  }

  /** Agents that wait for a seat, or for a larger one. */
  get waiting(): number {
    return this.#waiting.length;
  }

  get keys(): IterableIterator<string> {
    return this.#entries.keys();
  }

  /** Undefined for an agent without a request or of an unknown tier. */
  decisionOf(key: string): SeatDecision | undefined {
    return this.#entries.get(key)?.decision;
  }

  /** Seats of a tier by its name. */
  seatsOf(tier: string): TierSeats | undefined {
    const sized = this.#tiers.get(tier);
    if (sized === undefined) return undefined;
    const count = (roomOf: (node: NodeRoom) => Amounts): number =>
      this.#open.reduce((total, node) => total + timesIn(sized.size, roomOf(node)), 0);
    return { total: count(({ whole }) => whole), free: count(({ free }) => free) };
  }

  /** Nodes that are open to agents. */
  get openNodes(): number {
    return this.#open.length;
  }

  /**
   * The seat of one agent that came, or whose tier changed, after the plan was made: from room that no waiting agent
   * could use. Undefined if that is not enough: the next plan decides.
   */
  admit(request: SeatRequest): SeatDecision | undefined {
    const tier = this.#tierOf(request);
    // The plan does not know a device that no request named when it was made.
    if (
      tier === undefined ||
      !devicesOf(request.seat === undefined ? [] : [request.seat.size]).every((name) => this.#devices.includes(name))
    )
      return undefined;
    const entry = this.#entries.get(request.key);
    if (entry === undefined) return this.#admitNew(request, tier);
    if (entry.tier.name === tier.name) return entry.decision;
    return this.#admitChanged(request, tier, entry);
  }

  #admitNew(request: SeatRequest, tier: SizedTier): SeatDecision | undefined {
    const nodes = this.#nodesFor(request);
    const home = nodes.filter(({ name }) => name === request.volumeOn);
    const node = this.#roomiestFor({ request, tier }, home) ?? this.#roomiestFor({ request, tier }, nodes);
    return node === undefined ? undefined : this.#settle({ request, tier }, node);
  }

  #admitChanged(request: SeatRequest, tier: SizedTier, { seat, decision }: Entry): SeatDecision | undefined {
    if (seat === undefined || decision.reason !== undefined) return undefined;
    const { node, seated } = seat;
    node.unseat(seated);
    if (!isWithin(tier.size, seated.size) && !this.#fitsNow({ request, tier }, node)) {
      node.seat(seated);
      return undefined;
    }
    // Its excess is free only once its pod is smaller.
    node.clear(beyond(seated.size, tier.size));
    this.#seat({ request, tier }, node, tier.size);
    return this.#grant(node);
  }

  /** The tier of a request, or the bought seat in its place. */
  #tierOf(request: SeatRequest): SizedTier | undefined {
    const { tier, seat } = request;
    const own = this.#tiers.get(tier);
    return own === undefined || seat === undefined
      ? own
      : { name: nameOfSeat(tier, seat), rank: seat.rank, size: amountsOf(seat.size, this.#devices) };
  }

  /** Ending pods hold their room until they are gone. */
  #clear({ ending = [] }: SeatRequest): void {
    for (const { node, size } of ending) this.#nodes.get(node)?.clear(amountsOf(size, this.#devices));
  }

  /** Pods with a node keep it; all other requests queue. */
  #take(request: SeatRequest): void {
    const tier = this.#tierOf(request);
    if (tier === undefined) return;
    const name = request.pod?.node;
    if (name === undefined) return void this.#queue.push({ request, tier });
    const node = this.#nodes.get(name);
    // A missing node has no seats; its pod is about to go too.
    if (node === undefined) return void this.#entries.set(request.key, { tier, decision: { granted: true } });
    const held = request.pod?.size === undefined ? tier.size : amountsOf(request.pod.size, this.#devices);
    if (isWithin(tier.size, held)) {
      node.clear(beyond(held, tier.size));
      return void this.#seat({ request, tier }, node, tier.size);
    }
    const seated = this.#seat({ request, tier }, node, held);
    this.#queue.push({ request, tier, from: { node, seated } });
  }

  #isDisplaced({ request, displacedBy }: Want): boolean {
    return displacedBy === undefined && this.#entries.get(request.key)?.decision.reason === 'Displaced';
  }

  #serveAll(): void {
    this.#queue.sort(firstServed);
    // Agents that are displaced meanwhile have a lower rank, so they join the queue behind the agent that is served.
    for (const want of this.#queue) {
      if (!this.#isDisplaced(want)) this.#serve(want);
    }
  }

  #serve(want: Want): void {
    if (want.from !== undefined) return this.#grow(want, want.from);
    const nodes = this.#nodesFor(want.request);
    const node = this.#findNew(want, nodes);
    if (node !== undefined) return void this.#settle(want, node);
    this.#refuse(want, nodes);
  }

  #findNew(want: Want, nodes: readonly NodeRoom[]): NodeRoom | undefined {
    const { volumeOn, pod } = want.request;
    const only = (wanted: string | undefined): readonly NodeRoom[] => nodes.filter(({ name }) => name === wanted);
    const held = only(pod?.heldTo);
    if (held.length === 0 && volumeOn === undefined) return this.#find(want, nodes);
    // The volume may not follow elsewhere, so its node comes first, even for a pod that waits for another node.
    // A waiting pod whose node has failed or is full is replaced by one for another node.
    return (
      this.#find(want, volumeOn === undefined ? held : only(volumeOn)) ??
      this.#roomiestFor(want, held) ??
      this.#roomiestFor(want, nodes)
    );
  }

  /** Finds room for a larger size on its node, or elsewhere if it needs another pod anyway. */
  #grow(want: Want, { node, seated }: Seat): void {
    node.unseat(seated);
    const moves = differInDevices(want.tier.size, seated.size);
    const others =
      moves && want.request.volumeOn === undefined
        ? this.#nodesFor(want.request).filter((other) => other !== node)
        : [];
    const found = this.#find(want, [node]) ?? this.#find(want, others);
    if (found !== undefined && this.#fitsNow(want, found)) {
      // Its present pod holds its room until it is gone, or its excess until it is smaller.
      node.clear(found === node ? beyond(seated.size, want.tier.size) : seated.size);
      return void this.#settle(want, found);
    }
    node.seat(seated);
    if (found !== undefined) return this.#growLater(want, { node, seated }, found);
    const { reason, blocking } = shortage(
      { ...want, request: { ...want.request, pinnedTo: others.length > 0 ? want.request.pinnedTo : node.name } },
      [node, ...others],
      this.#devices,
    );
    this.#wait(
      want,
      { granted: true, node: node.name, reason, ...(blocking === undefined ? {} : { blocking }) },
      { node, seated },
    );
  }

  /** Keeps its seat until the larger room is free, and reserves that room. */
  #growLater(want: Want, { node, seated }: Seat, found: NodeRoom): void {
    found.take(found === node ? beyond(want.tier.size, seated.size) : want.tier.size);
    found.await(want.tier.rank);
    this.#wait(
      want,
      { granted: true, node: node.name, reason: 'SeatClearing', blocking: `node ${found.name}` },
      { node, seated },
    );
  }

  #find(want: Want, nodes: readonly NodeRoom[]): NodeRoom | undefined {
    const { size, rank } = want.tier;
    const free = this.#roomiestFor(want, nodes);
    if (free !== undefined) return free;
    const displacement = displacementFor(nodes, size, rank);
    for (const victim of displacement?.victims ?? []) this.#displace(victim, want);
    return displacement?.node;
  }

  /** Takes the seat of an agent. The next plan may seat it elsewhere; this one reserves that seat, if there is one. */
  #displace(victim: Seated, { request: { key } }: Want): void {
    const entry = this.#entries.get(victim.key);
    if (entry?.seat === undefined) return;
    entry.seat.node.unseat(victim);
    entry.seat.node.clear(victim.size);
    const by = nameOf(key);
    const request: SeatRequest = {
      key: victim.key,
      tier: entry.tier.name,
      seated: true,
      createdAt: victim.createdAt,
      pinnedTo: victim.pinnedTo,
      volumeOn: victim.volumeOn,
    };
    const want: Want = { request, tier: entry.tier, displacedBy: by };
    this.#wait(want, { granted: false, reason: 'Displaced', blocking: `agent ${by}` });
    enqueue(this.#queue, want);
  }

  #refuse(want: Want, nodes: readonly NodeRoom[]): void {
    if (want.displacedBy !== undefined) return;
    const { reason, blocking } = shortage(want, nodes, this.#devices);
    // A pod that waits for the scheduler stays.
    this.#wait(want, {
      granted: want.request.pod !== undefined,
      reason,
      ...(blocking === undefined ? {} : { blocking }),
    });
  }

  #wait(want: Want, decision: SeatDecision, seat?: Seat): void {
    this.#entries.set(want.request.key, { tier: want.tier, decision, seat });
    this.#waiting.push({ want, decision });
  }

  #settle(want: Want, node: NodeRoom): SeatDecision {
    const { request, tier, displacedBy } = want;
    if (displacedBy !== undefined) {
      node.take(tier.size);
      return { granted: false };
    }
    if (request.pod?.node === undefined && request.roams !== true) node.await(tier.rank);
    const obstacle = this.#fitsNow(want, node) ? this.#contested(want) : node;
    if (obstacle !== undefined) {
      node.take(tier.size);
      // A pod that waits for the scheduler stays.
      const decision: SeatDecision = {
        granted: request.pod !== undefined,
        node: node.name,
        reason: 'SeatClearing',
        blocking: `node ${obstacle.name}`,
      };
      this.#wait(want, decision);
      return decision;
    }
    this.#seat(want, node, tier.size);
    return this.decisionOf(request.key) ?? this.#grant(node);
  }

  /**
   * A node on which the pod of a roaming agent could take the room of a seat of a higher rank that waits for its pod.
   * The seat's agent would displace it there, and the scheduler might put its next pod on the same node, without end.
   * So its pod begins only once that seat is taken.
   */
  #contested({ request, tier }: Want): NodeRoom | undefined {
    if (request.roams !== true || request.pod !== undefined) return undefined;
    return this.#nodesFor(request).find((node) => node.isAwaitedAbove(tier.rank) && !fits(tier.size, node.freeNow([])));
  }

  #seat({ request, tier }: Want, node: NodeRoom, size: Amounts): Seated {
    const { key, createdAt, pinnedTo, volumeOn } = request;
    const seated = { key, rank: tier.rank, createdAt, pinnedTo, volumeOn, size };
    node.seat(seated);
    this.#entries.set(key, { tier, seat: { node, seated }, decision: this.#grant(node) });
    return seated;
  }

  #grant(node: NodeRoom): SeatDecision {
    const known = this.#grants.get(node.name);
    if (known !== undefined) return known;
    const made = { granted: true, node: node.name };
    this.#grants.set(node.name, made);
    return made;
  }

  #nodesFor({ pinnedTo }: SeatRequest): readonly NodeRoom[] {
    if (pinnedTo === undefined) return this.#open;
    const node = this.#nodes.get(pinnedTo);
    return node?.open === true ? [node] : [];
  }

  /** Whether the room is free already, and not held by a pod that has to go first. */
  #fitsNow({ request: { ending = [] }, tier: { size } }: Pick<Want, 'request' | 'tier'>, node: NodeRoom): boolean {
    const own = ending.flatMap((pod) => (pod.node === node.name ? [amountsOf(pod.size, this.#devices)] : []));
    return fits(size, node.freeNow(own));
  }

  /** A node with room now; otherwise one that will have room once its ending pods are gone. */
  #roomiestFor(want: Pick<Want, 'request' | 'tier'>, nodes: readonly NodeRoom[]): NodeRoom | undefined {
    const { size } = want.tier;
    const fitting = nodes.filter((node) => this.#fitsNow(want, node));
    return roomiest(fitting, size) ?? roomiest(nodes, size);
  }

  #rankWaiting(): void {
    // An agent whose seat is only not free yet has no place in the queue.
    const queue = this.#waiting
      .filter(({ decision }) => decision.reason !== 'SeatClearing')
      .toSorted((a, b) => firstServed(a.want, b.want));
    for (const [index, { want, decision }] of queue.entries()) {
      const entry = this.#entries.get(want.request.key);
      if (entry?.decision === decision)
        this.#entries.set(want.request.key, { ...entry, decision: { ...decision, position: queuePlace(index + 1) } });
    }
  }
}

/** Plans the seats of all agents at one moment. Total and pure: the order of the input does not matter. */
export function seatPlan(input: SeatInput): SeatPlan {
  return new SeatPlan(input);
}
