import { type NodeRoom, type Seated, textOrder } from './node-room.ts';
import { DEVICES, fits, shortageOf, type Amounts } from './room.ts';
import type { SeatRequest } from './seat-input.ts';

export interface SizedTier {
  readonly name: string;
  readonly rank: number;
  readonly size: Amounts;
}

export interface Want {
  readonly request: SeatRequest;
  readonly tier: SizedTier;
  readonly from?: { readonly node: NodeRoom; readonly seated: Seated } | undefined;
  /** The agent that displaced this one. The displaced agent gets another seat only after its pod has ended. */
  readonly displacedBy?: string;
}

function precedence({ request: { pod, seated } }: Want): number {
  if (pod?.node !== undefined) return 0;
  return pod !== undefined || seated ? 1 : 2;
}

/** Compares by precedence: higher ranks, running agents, agents with a waiting pod or between pods, the longest wait, older agents. */
export function firstServed(a: Want, b: Want): number {
  return (
    b.tier.rank - a.tier.rank ||
    precedence(a) - precedence(b) ||
    textOrder(a.request.waitingSince, b.request.waitingSince) ||
    textOrder(a.request.createdAt, b.request.createdAt) ||
    textOrder(a.request.key, b.request.key)
  );
}

/** Inserts in the order of {@link firstServed}, after equal entries. */
export function enqueue(queue: Want[], want: Want): void {
  let low = 0;
  let high = queue.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = queue[middle];
    if (other !== undefined && firstServed(other, want) <= 0) low = middle + 1;
    else high = middle;
  }
  queue.splice(low, 0, want);
}

const SENTENCES = {
  NoSeat: (blocking) => `no node has ${blocking} left for a seat`,
  NodeFull: (blocking) => `${blocking}, the only node that the agent may use, has no room left`,
  NodeClosed: (blocking) => `${blocking}, the only node that the agent may use, is not ready or is closed to agents`,
  NodeShort: (blocking) => `${blocking} is short of memory and gives no seats until it recovers`,
  NoNode: () => 'no node is ready and open to agents',
  GpuBooked: (blocking) => `every ${blocking} is taken`,
  TooLarge: (blocking) => `no node that the agent may use has enough ${blocking}, even without other agents`,
  Displaced: (blocking) => `${blocking} has a higher tier and needed the seat`,
  SeatClearing: (blocking) =>
    `the room on ${blocking} is not free yet: a pod is ending there, or one of a higher tier is about to begin`,
  SeatPending: () => 'other agents wait too: the operator is planning the seats',
} as const satisfies Readonly<Record<string, (blocking: string) => string>>;

/** The reason why an agent has no seat, or not yet the seat of its tier. */
export type SeatReason = keyof typeof SENTENCES;

export interface SeatDecision {
  /** True if the agent may have a pod. With a `reason`, it keeps its pod unchanged and waits for its tier's seat. */
  readonly granted: boolean;
  readonly node?: string;
  readonly reason?: SeatReason;
  /** See {@link queuePlace}. */
  readonly position?: number;
  /** `node NAME`, `agent NAME`, or the name of the resource that is short. */
  readonly blocking?: string;
}

/** True if the agent's pod must end. With any other decision a pod stays. */
export const endsPod = ({ granted, reason }: SeatDecision): boolean =>
  !granted && (reason === 'Displaced' || reason === 'NodeShort');

const ROUNDED_FROM = 10;

/** Exact below 10, then 10, 20, 50, 100 …: otherwise every change would rewrite the status of every waiting agent. */
export function queuePlace(exact: number): number {
  if (exact < ROUNDED_FROM) return exact;
  const power = 10 ** Math.floor(Math.log10(exact));
  const lead = [5, 2, 1].find((digit) => digit * power <= exact) ?? 1;
  return lead * power;
}

const placeInWords = (position: number): string =>
  position < ROUNDED_FROM ? `place ${position} in the queue` : `place ${position} or later in the queue`;

export const isSeatReason = (word: string): word is SeatReason => Object.hasOwn(SENTENCES, word);

export function seatSentence({ granted, reason, blocking = '', position }: SeatDecision): string {
  if (reason === undefined) return 'a seat is free';
  const where = position === undefined ? '' : `; ${placeInWords(position)}`;
  const why = `${SENTENCES[reason](blocking)}${where}`;
  return granted ? `keeps its seat: ${why}` : why;
}

interface Shortage {
  readonly reason: SeatReason;
  readonly blocking?: string;
}

function bookedDevice(nodes: readonly NodeRoom[], size: Amounts, devices: readonly string[]): string | undefined {
  const lacking = (index: number): boolean =>
    nodes.every(({ free }) => (size[index] ?? 0) > Math.max(0, free[index] ?? 0));
  return devices.find((_name, index) => lacking(DEVICES + index));
}

function tooLarge(size: Amounts, [first]: readonly NodeRoom[], devices: readonly string[]): Shortage {
  return { reason: 'TooLarge', blocking: shortageOf(size, first?.whole ?? [], devices) ?? 'room' };
}

/** `nodes` are the open nodes that the agent may use. */
export function shortage(
  { request: { pinnedTo }, tier: { size } }: Want,
  nodes: readonly NodeRoom[],
  devices: readonly string[],
): Shortage {
  if (nodes.length === 0)
    return pinnedTo === undefined ? { reason: 'NoNode' } : { reason: 'NodeClosed', blocking: `node ${pinnedTo}` };
  const large = nodes.filter(({ whole }) => fits(size, whole));
  const [first] = large;
  if (first === undefined) return tooLarge(size, nodes, devices);
  const device = bookedDevice(large, size, devices);
  if (device !== undefined) return { reason: 'GpuBooked', blocking: device };
  if (pinnedTo !== undefined) return { reason: 'NodeFull', blocking: `node ${pinnedTo}` };
  return { reason: 'NoSeat', blocking: shortageOf(size, first.free, devices) ?? 'room' };
}
