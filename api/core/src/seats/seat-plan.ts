import {
  enqueue,
  firstServed,
  type SizedTier,
  type Want,
  queuePlace,
  type SeatDecision,
  shortage,
} from './seat-decision.ts';
import { displacementFor, NodeRoom, roomiest, textOrder, type Seated } from './node-room.ts';
import { amountsOf, beyond, differInDevices, fits, isWithin, timesIn, type Amounts, type Room } from './room.ts';
import type { SeatRequest, SeatInput } from './seat-input.ts';

export interface TierSeats {
  /** Seats that the nodes would have without any agent. */
  readonly total: number;
  /** Seats that are free without a displacement. */
  readonly free: number;
}

interface Seat {
  readonly node: NodeRoom;
  readonly seated: Seated;
}

interface Entry {
  readonly tier: SizedTier;
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

const shortOf = ({ name }: NodeRoom): SeatDecision => ({
  granted: false,
  reason: 'NodeShort',
  blocking: `node ${name}`,
});

/** A name for a bought seat that differs from every tier and every other bought seat. */
const nameOfSeat = (tier: string, { rank, size }: NonNullable<SeatRequest['seat']>): string =>
  `${tier} ${JSON.stringify([rank, size.devices])}`;

/**
 * The seats of all agents. Higher ranks come first. Within a rank, running agents keep their seats; then the agent that
 * has waited longest gets the next. Only a higher rank takes a running agent's seat, from the lowest rank first. The
 * plan never fills a node beyond its room. {@link seatPlan} makes a plan for one moment; afterwards only {@link admit}
 * changes it.
 */
export class SeatPlan {
  readonly #nodes = new Map<string, NodeRoom>();
  readonly #open: readonly NodeRoom[];
  readonly #devices: readonly string[];
  readonly #tiers = new Map<string, SizedTier>();
  readonly #entries = new Map<string, Entry>();
  /** One shared object for every full seat on a node saves memory. */
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

  /** Undefined if the tier is unknown. */
  seatsOf(tier: string): TierSeats | undefined {
    const sized = this.#tiers.get(tier);
    if (sized === undefined) return undefined;
    const count = (roomOf: (node: NodeRoom) => Amounts): number =>
      this.#open.reduce((total, node) => total + timesIn(sized.size, roomOf(node)), 0);
    return { total: count(({ whole }) => whole), free: count(({ free }) => free) };
  }

  get openNodes(): number {
    return this.#open.length;
  }

  /** A seat for a new agent or a new tier, in room that no waiting agent could use; undefined if there is none. */
  admit(request: SeatRequest): SeatDecision | undefined {
    const tier = this.#tierOf(request);
    // The plan counts only devices that a tier or request named when the plan was made.
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
    if (!isWithin(tier.size, seated.size) && (node.short || !this.#fitsNow({ request, tier }, node))) {
      node.seat(seated);
      return undefined;
    }
    // The excess of the old size is free only after the pod is smaller.
    node.clear(beyond(seated.size, tier.size));
    this.#seat({ request, tier }, node, tier.size);
    return this.#grant(node);
  }

  /** Undefined if the tier is unknown. */
  #tierOf(request: SeatRequest): SizedTier | undefined {
    const { tier, seat } = request;
    const own = this.#tiers.get(tier);
    return own === undefined || seat === undefined
      ? own
      : { name: nameOfSeat(tier, seat), rank: seat.rank, size: amountsOf(seat.size, this.#devices) };
  }

  #clear({ ending = [] }: SeatRequest): void {
    for (const { node, size } of ending) this.#nodes.get(node)?.clear(amountsOf(size, this.#devices));
  }

  /** A request joins the queue if it has no pod on a node, or if its tier is larger than its pod. */
  #take(request: SeatRequest): void {
    const tier = this.#tierOf(request);
    if (tier === undefined) return;
    const name = request.pod?.node;
    if (name === undefined) return void this.#queue.push({ request, tier });
    const node = this.#nodes.get(name);
    // A missing node has no seats, and its pods will soon be gone too.
    if (node === undefined) return void this.#entries.set(request.key, { tier, decision: { granted: true } });
    const held = request.pod?.size === undefined ? tier.size : amountsOf(request.pod.size, this.#devices);
    if (request.paused === true) {
      node.clear(held);
      return this.#wait({ request, tier }, shortOf(node));
    }
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
    // Serving an agent may displace others. Their rank is lower, so they join the queue after the served agent.
    for (const want of this.#queue) {
      if (!this.#isDisplaced(want)) this.#serve(want);
    }
  }

  #serve(want: Want): void {
    if (want.from !== undefined) return this.#grow(want, want.from);
    const nodes = this.#nodesFor(want.request);
    const node = this.#findNew(want, nodes);
    if (node !== undefined) return void this.#settle(want, node);
    this.#refuse(want);
  }

  #findNew(want: Want, nodes: readonly NodeRoom[]): NodeRoom | undefined {
    const { volumeOn, pod } = want.request;
    const only = (wanted: string | undefined): readonly NodeRoom[] => nodes.filter(({ name }) => name === wanted);
    const held = only(pod?.heldTo);
    if (held.length === 0 && volumeOn === undefined) return this.#find(want, nodes);
    // The volume may be unable to move, so its node comes first, even for a pod that waits for another node.
    // If the node of a waiting pod has failed or is full, the operator replaces the pod with one for another node.
    return (
      this.#find(want, volumeOn === undefined ? held : only(volumeOn)) ??
      this.#roomiestFor(want, held) ??
      this.#roomiestFor(want, nodes)
    );
  }

  /** Gives the agent its larger seat on its node, or on another if a change of devices needs a new pod anyway. */
  #grow(want: Want, { node, seated }: Seat): void {
    node.unseat(seated);
    const moves = differInDevices(want.tier.size, seated.size);
    const others =
      moves && want.request.volumeOn === undefined
        ? this.#nodesFor(want.request).filter((other) => other !== node)
        : [];
    const found = this.#find(want, node.short ? [] : [node]) ?? this.#find(want, others);
    if (found !== undefined && this.#fitsNow(want, found)) {
      // If the agent moves, the old pod holds its room until it is gone; otherwise its excess until it is smaller.
      node.clear(found === node ? beyond(seated.size, want.tier.size) : seated.size);
      return void this.#settle(want, found);
    }
    node.seat(seated);
    if (found === undefined) this.#staySmaller(want, { node, seated }, others);
    else this.#growLater(want, { node, seated }, found);
  }

  #staySmaller(want: Want, seat: Seat, others: readonly NodeRoom[]): void {
    const { node } = seat;
    const pinnedTo = others.length > 0 ? want.request.pinnedTo : node.name;
    const lack = node.short
      ? shortOf(node)
      : shortage({ ...want, request: { ...want.request, pinnedTo } }, [node, ...others], this.#devices);
    this.#wait(want, { ...lack, granted: true, node: node.name }, seat);
  }

  /** The agent keeps its present seat until the larger room is free. */
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

  /** This plan reserves another seat for the victim if there is one; the next plan may grant that seat. */
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

  #refuse(want: Want): void {
    if (want.displacedBy !== undefined) return;
    const nodes = this.#openFor(want.request);
    const short = nodes.find((node) => node.short && (nodes.length === 1 || fits(want.tier.size, node.free)));
    const lack = short === undefined ? shortage(want, nodes, this.#devices) : shortOf(short);
    // An agent with a pod that waits for the scheduler keeps that pod.
    this.#wait(want, { ...lack, granted: want.request.pod !== undefined });
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
      // An agent with a pod that waits for the scheduler keeps that pod.
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
   * For a roaming agent, a node on which its new pod could take the room of a higher-ranked seat that waits for its
   * pod. The agent of that seat would displace the pod, and the scheduler might endlessly put its successors there.
   * end.
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

  #nodesFor(request: SeatRequest): readonly NodeRoom[] {
    return this.#openFor(request).filter(({ short }) => !short);
  }

  /** Also those that are short of memory. */
  #openFor({ pinnedTo }: SeatRequest): readonly NodeRoom[] {
    if (pinnedTo === undefined) return this.#open;
    const node = this.#nodes.get(pinnedTo);
    return node?.open === true ? [node] : [];
  }

  #fitsNow({ request: { ending = [] }, tier: { size } }: Pick<Want, 'request' | 'tier'>, node: NodeRoom): boolean {
    const own = ending.flatMap((pod) => (pod.node === node.name ? [amountsOf(pod.size, this.#devices)] : []));
    return fits(size, node.freeNow(own));
  }

  /** A node with room now; otherwise one that will have room after its ending pods are gone. */
  #roomiestFor(want: Pick<Want, 'request' | 'tier'>, nodes: readonly NodeRoom[]): NodeRoom | undefined {
    const { size } = want.tier;
    const fitting = nodes.filter((node) => this.#fitsNow(want, node));
    return roomiest(fitting, size) ?? roomiest(nodes, size);
  }

  #rankWaiting(): void {
    // An agent that waits for an ending pod, or for a node to recover, is outside of the queue.
    const queue = this.#waiting
      .filter(({ decision: { reason } }) => reason !== 'SeatClearing' && reason !== 'NodeShort')
      .toSorted((a, b) => firstServed(a.want, b.want));
    for (const [index, { want, decision }] of queue.entries()) {
      const entry = this.#entries.get(want.request.key);
      if (entry?.decision === decision)
        this.#entries.set(want.request.key, { ...entry, decision: { ...decision, position: queuePlace(index + 1) } });
    }
  }
}

/** The order of the input does not matter. Pure. */
export function seatPlan(input: SeatInput): SeatPlan {
  return new SeatPlan(input);
}
