import { enqueue, firstServed, type SizedTier, type Want } from './claim-order.ts';
import { displacementFor } from './displacement.ts';
import { NodeBoard, type Seated } from './node-board.ts';
import { amountsOf, beyond, differInDevices, fits, isWithin, timesIn, type Amounts, type Room } from './room.ts';
import type { SeatClaim, SeatInput } from './seat-input.ts';
import { shortage } from './shortage.ts';
import { textOrder } from './text-order.ts';
import { queuePlace, type SeatVerdict } from './verdict.ts';

/** Seats of one tier over all nodes. */
export interface TierSeats {
  /** Agents of this tier that the nodes could hold if no agents of this village were there. */
  readonly total: number;
  /** Agents of this tier that would find a seat now without displacing anybody. */
  readonly free: number;
}

/** Where an agent sits on a board. */
interface Seat {
  readonly board: NodeBoard;
  readonly seated: Seated;
}

/** What the plan knows of an agent. */
interface Entry {
  readonly tier: SizedTier;
  /** Undefined while it has no seat. */
  readonly seat?: Seat | undefined;
  readonly verdict: SeatVerdict;
}

/** A node that has room, and how often. */
interface Candidate {
  readonly board: NodeBoard;
  readonly times: number;
}

const nameOf = (key: string): string => key.slice(key.indexOf('/') + 1);

const devicesOf = (sizes: readonly Room[]): readonly string[] =>
  [
    ...new Set(
      sizes.flatMap(({ devices }) => Object.entries(devices).flatMap(([name, count]) => (count > 0 ? [name] : []))),
    ),
  ].toSorted();

/** Seats that were bought are told from those of the tier, and from each other, by a name of their own. */
const nameOfSeat = (tier: string, { rank, size }: NonNullable<SeatClaim['seat']>): string =>
  `${tier} ${JSON.stringify([rank, size.devices])}`;

/** Of nodes with room that with the fewest agents, then that with the most seats left: agents spread as the scheduler spreads them. */
const roomierFirst = (a: Candidate, b: Candidate): number => a.board.agents - b.board.agents || b.times - a.times;

/**
 * The agents that may run within the capacity of the nodes. Higher ranks get seats first. Within a rank, running agents
 * keep their seats, and the agent that has waited longest gets the next one. A running agent loses its seat only to an
 * agent of a higher rank; agents of the lowest rank lose theirs first. No node is filled beyond its capacity; a node
 * that pods of other owners have overfilled gets no new agents.
 *
 * Made once for one moment by {@link seatPlan}. The only thing that changes it afterwards is {@link admit}.
 */
export class SeatPlan {
  readonly #boards = new Map<string, NodeBoard>();
  readonly #open: readonly NodeBoard[];
  readonly #devices: readonly string[];
  readonly #tiers = new Map<string, SizedTier>();
  readonly #entries = new Map<string, Entry>();
  /** One object for all agents on a node. */
  readonly #grants = new Map<string, SeatVerdict>();
  readonly #queue: Want[] = [];
  readonly #waiting: { readonly want: Want; readonly verdict: SeatVerdict }[] = [];

  constructor({ nodes, tiers, claims, reserve }: SeatInput) {
    this.#devices = devicesOf([
      ...tiers.map(({ size }) => size),
      ...claims.flatMap(({ seat }) => (seat === undefined ? [] : [seat.size])),
    ]);
    for (const node of nodes.toSorted((a, b) => textOrder(a.name, b.name)))
      this.#boards.set(node.name, new NodeBoard(node, reserve, this.#devices));
    this.#open = [...this.#boards.values()].filter(({ open }) => open);
    for (const tier of tiers)
      this.#tiers.set(tier.name, { name: tier.name, rank: tier.rank, size: amountsOf(tier.size, this.#devices) });
    for (const claim of claims) this.#clear(claim);
    for (const claim of claims) this.#take(claim);
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

  /** Undefined for an agent that made no claim, or of a tier that is not there. */
  verdictOf(key: string): SeatVerdict | undefined {
    return this.#entries.get(key)?.verdict;
  }

  /** Of a tier by its name. */
  seatsOf(tier: string): TierSeats | undefined {
    const sized = this.#tiers.get(tier);
    if (sized === undefined) return undefined;
    const count = (roomOf: (board: NodeBoard) => Amounts): number =>
      this.#open.reduce((total, board) => total + timesIn(sized.size, roomOf(board)), 0);
    return { total: count(({ whole }) => whole), free: count(({ free }) => free) };
  }

  /** Nodes that are open to agents. */
  get openNodes(): number {
    return this.#open.length;
  }

  /**
   * The seat of one agent that came, or whose tier changed, after the plan was made: from room that nobody who waits
   * could use. Undefined if that is not enough: the next plan decides.
   */
  admit(claim: SeatClaim): SeatVerdict | undefined {
    const tier = this.#tierOf(claim);
    // A device that nobody asked for when the plan was made is not in it.
    if (
      tier === undefined ||
      !devicesOf(claim.seat === undefined ? [] : [claim.seat.size]).every((name) => this.#devices.includes(name))
    )
      return undefined;
    const entry = this.#entries.get(claim.key);
    if (entry === undefined) return this.#admitNew(claim, tier);
    if (entry.tier.name === tier.name) return entry.verdict;
    return this.#admitChanged(claim, tier, entry);
  }

  #admitNew(claim: SeatClaim, tier: SizedTier): SeatVerdict | undefined {
    const boards = this.#boardsFor(claim);
    const home = boards.filter(({ name }) => name === claim.volumeOn);
    const board = this.#roomiestFor({ claim, tier }, home) ?? this.#roomiestFor({ claim, tier }, boards);
    return board === undefined ? undefined : this.#settle({ claim, tier }, board);
  }

  #admitChanged(claim: SeatClaim, tier: SizedTier, { seat, verdict }: Entry): SeatVerdict | undefined {
    if (seat === undefined || verdict.reason !== undefined) return undefined;
    const { board, seated } = seat;
    board.unseat(seated);
    if (!isWithin(tier.size, seated.size) && !this.#fitsNow({ claim, tier }, board)) {
      board.seat(seated);
      return undefined;
    }
    // What it has too much is free only once its pod is smaller.
    board.clear(beyond(seated.size, tier.size));
    this.#seat({ claim, tier }, board, tier.size);
    return this.#grant(board);
  }

  /** The tier of a claim, or what its agent has bought in place of it. */
  #tierOf(claim: SeatClaim): SizedTier | undefined {
    const { tier, seat } = claim;
    const own = this.#tiers.get(tier);
    return own === undefined || seat === undefined
      ? own
      : { name: nameOfSeat(tier, seat), rank: seat.rank, size: amountsOf(seat.size, this.#devices) };
  }

  /** Its pods that are ending hold their room until they are gone. */
  #clear({ ending = [] }: SeatClaim): void {
    for (const { node, size } of ending) this.#boards.get(node)?.clear(amountsOf(size, this.#devices));
  }

  /** Bound pods sit where they are; all others queue. */
  #take(claim: SeatClaim): void {
    const tier = this.#tierOf(claim);
    if (tier === undefined) return;
    const node = claim.pod?.node;
    if (node === undefined) return void this.#queue.push({ claim, tier });
    const board = this.#boards.get(node);
    // A node that is gone holds nobody; the pod is about to go too.
    if (board === undefined) return void this.#entries.set(claim.key, { tier, verdict: { granted: true } });
    const held = claim.pod?.size === undefined ? tier.size : amountsOf(claim.pod.size, this.#devices);
    if (isWithin(tier.size, held)) {
      board.clear(beyond(held, tier.size));
      return void this.#seat({ claim, tier }, board, tier.size);
    }
    const seated = this.#seat({ claim, tier }, board, held);
    this.#queue.push({ claim, tier, from: { board, seated } });
  }

  #isDisplaced({ claim, displacedBy }: Want): boolean {
    return displacedBy === undefined && this.#entries.get(claim.key)?.verdict.reason === 'Displaced';
  }

  #serveAll(): void {
    this.#queue.sort(firstServed);
    // Those that are displaced meanwhile are of a lower rank, so they join the queue behind the agent that is served.
    for (const want of this.#queue) {
      if (!this.#isDisplaced(want)) this.#serve(want);
    }
  }

  #serve(want: Want): void {
    if (want.from !== undefined) return this.#grow(want, want.from);
    const boards = this.#boardsFor(want.claim);
    const board = this.#findNew(want, boards);
    if (board !== undefined) return void this.#settle(want, board);
    this.#refuse(want, boards);
  }

  #findNew(want: Want, boards: readonly NodeBoard[]): NodeBoard | undefined {
    const { volumeOn, pod } = want.claim;
    const only = (node: string | undefined): readonly NodeBoard[] => boards.filter(({ name }) => name === node);
    const held = only(pod?.heldTo);
    if (held.length === 0 && volumeOn === undefined) return this.#find(want, boards);
    // Its volume may not follow it elsewhere, so the node of the volume comes first, also for a pod that waits for another node.
    // Where the node of a pod that waits has failed or is full, the pod gives way to one for another node.
    return (
      this.#find(want, volumeOn === undefined ? held : only(volumeOn)) ??
      this.#roomiestFor(want, held) ??
      this.#roomiestFor(want, boards)
    );
  }

  /** A larger size on the node where it runs, or elsewhere if it has to get another pod for it anyway. */
  #grow(want: Want, { board, seated }: Seat): void {
    board.unseat(seated);
    const moves = differInDevices(want.tier.size, seated.size);
    const others =
      moves && want.claim.volumeOn === undefined ? this.#boardsFor(want.claim).filter((other) => other !== board) : [];
    const found = this.#find(want, [board]) ?? this.#find(want, others);
    if (found !== undefined && this.#fitsNow(want, found)) {
      // The pod that it leaves holds its room until it is gone, and what it has too much until it is smaller.
      board.clear(found === board ? beyond(seated.size, want.tier.size) : seated.size);
      return void this.#settle(want, found);
    }
    board.seat(seated);
    if (found !== undefined) return this.#growLater(want, { board, seated }, found);
    const { reason, blocking } = shortage(
      { ...want, claim: { ...want.claim, pinnedTo: others.length > 0 ? want.claim.pinnedTo : board.name } },
      [board, ...others],
      this.#devices,
    );
    this.#wait(
      want,
      { granted: true, node: board.name, reason, ...(blocking === undefined ? {} : { blocking }) },
      { board, seated },
    );
  }

  /** It keeps what it has until the larger room is clear, which nobody else gets meanwhile. */
  #growLater(want: Want, { board, seated }: Seat, found: NodeBoard): void {
    found.take(found === board ? beyond(want.tier.size, seated.size) : want.tier.size);
    this.#wait(
      want,
      { granted: true, node: board.name, reason: 'SeatClearing', blocking: `node ${found.name}` },
      { board, seated },
    );
  }

  #find(want: Want, boards: readonly NodeBoard[]): NodeBoard | undefined {
    const { size, rank } = want.tier;
    const free = this.#roomiestFor(want, boards);
    if (free !== undefined) return free;
    const displacement = displacementFor(boards, size, rank);
    for (const victim of displacement?.victims ?? []) this.#displace(victim, want);
    return displacement?.board;
  }

  /** The next plan may seat it elsewhere; this one keeps that seat for it, if there is one. */
  #displace(victim: Seated, { claim: { key } }: Want): void {
    const entry = this.#entries.get(victim.key);
    if (entry?.seat === undefined) return;
    entry.seat.board.unseat(victim);
    entry.seat.board.clear(victim.size);
    const by = nameOf(key);
    const claim: SeatClaim = {
      key: victim.key,
      tier: entry.tier.name,
      seated: true,
      createdAt: victim.createdAt,
      pinnedTo: victim.pinnedTo,
      volumeOn: victim.volumeOn,
    };
    const want: Want = { claim, tier: entry.tier, displacedBy: by };
    this.#wait(want, { granted: false, reason: 'Displaced', blocking: `agent ${by}` });
    enqueue(this.#queue, want);
  }

  #refuse(want: Want, boards: readonly NodeBoard[]): void {
    if (want.displacedBy !== undefined) return;
    const { reason, blocking } = shortage(want, boards, this.#devices);
    // A pod that waits for the scheduler is left to it.
    this.#wait(want, {
      granted: want.claim.pod !== undefined,
      reason,
      ...(blocking === undefined ? {} : { blocking }),
    });
  }

  #wait(want: Want, verdict: SeatVerdict, seat?: Seat): void {
    this.#entries.set(want.claim.key, { tier: want.tier, verdict, seat });
    this.#waiting.push({ want, verdict });
  }

  #settle(want: Want, board: NodeBoard): SeatVerdict {
    const { claim, tier, displacedBy } = want;
    if (displacedBy !== undefined) {
      board.take(tier.size);
      return { granted: false };
    }
    if (!this.#fitsNow(want, board)) {
      board.take(tier.size);
      // A pod that waits for the scheduler is left to it.
      const verdict: SeatVerdict = {
        granted: claim.pod !== undefined,
        node: board.name,
        reason: 'SeatClearing',
        blocking: `node ${board.name}`,
      };
      this.#wait(want, verdict);
      return verdict;
    }
    this.#seat(want, board, tier.size);
    return this.verdictOf(claim.key) ?? this.#grant(board);
  }

  #seat({ claim, tier }: Want, board: NodeBoard, size: Amounts): Seated {
    const { key, createdAt, pinnedTo, volumeOn } = claim;
    const seated = { key, rank: tier.rank, createdAt, pinnedTo, volumeOn, size };
    board.seat(seated);
    this.#entries.set(key, { tier, seat: { board, seated }, verdict: this.#grant(board) });
    return seated;
  }

  #grant(board: NodeBoard): SeatVerdict {
    const known = this.#grants.get(board.name);
    if (known !== undefined) return known;
    const made = { granted: true, node: board.name };
    this.#grants.set(board.name, made);
    return made;
  }

  #boardsFor({ pinnedTo }: SeatClaim): readonly NodeBoard[] {
    if (pinnedTo === undefined) return this.#open;
    const board = this.#boards.get(pinnedTo);
    return board?.open === true ? [board] : [];
  }

  /** Whether the room is there already, and not held by a pod that has to go first. */
  #fitsNow({ claim: { ending = [] }, tier: { size } }: Pick<Want, 'claim' | 'tier'>, board: NodeBoard): boolean {
    const own = ending.flatMap((pod) => (pod.node === board.name ? [amountsOf(pod.size, this.#devices)] : []));
    return fits(size, board.freeNow(own));
  }

  /** A node with room now; if there is none, one that will have it when pods are gone that are ending. */
  #roomiestFor(want: Pick<Want, 'claim' | 'tier'>, boards: readonly NodeBoard[]): NodeBoard | undefined {
    const { size } = want.tier;
    return (
      this.#roomiest(
        boards.filter((board) => this.#fitsNow(want, board)),
        size,
      ) ?? this.#roomiest(boards, size)
    );
  }

  #roomiest(boards: readonly NodeBoard[], size: Amounts): NodeBoard | undefined {
    let best: Candidate | undefined;
    for (const board of boards) {
      const found = { board, times: timesIn(size, board.free) };
      if (found.times > 0 && (best === undefined || roomierFirst(found, best) < 0)) best = found;
    }
    return best?.board;
  }

  #rankWaiting(): void {
    // Who has only to wait for a pod that is ending stands in no queue.
    const queue = this.#waiting
      .filter(({ verdict }) => verdict.reason !== 'SeatClearing')
      .toSorted((a, b) => firstServed(a.want, b.want));
    for (const [index, { want, verdict }] of queue.entries()) {
      const entry = this.#entries.get(want.claim.key);
      if (entry?.verdict === verdict)
        this.#entries.set(want.claim.key, { ...entry, verdict: { ...verdict, position: queuePlace(index + 1) } });
    }
  }
}

/** Plans the seats of all agents at one moment. Total and pure: the same input in any order gives the same plan. */
export function seatPlan(input: SeatInput): SeatPlan {
  return new SeatPlan(input);
}
