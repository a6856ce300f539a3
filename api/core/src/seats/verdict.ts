/** Why an agent has no seat, or not yet the seat of its tier. */
export type SeatReason =
  /** No node has room. */
  | 'NoSeat'
  /** The one node that it may run on has no room. */
  | 'NodeFull'
  /** The one node that it may run on is lost, cordoned or tainted. */
  | 'NodeClosed'
  /** No node is open to agents. */
  | 'NoNode'
  /** Every device of the kind is taken. */
  | 'GpuBooked'
  /** No node that it may run on is large enough, even without other agents. */
  | 'TooLarge'
  /** It ran, and an agent of a higher tier needs its seat. */
  | 'Displaced'
  /** Its seat is known, and the pod that has the room is ending. */
  | 'SeatClearing'
  /** Others wait, and its place among them is being worked out. */
  | 'SeatPending';

/** Whether an agent may have a pod now, and one of the size of its tier. */
export interface SeatVerdict {
  /** With a `reason`: it keeps the pod that it has as it is, and waits to have what its tier gives. */
  readonly granted: boolean;
  /** Where the plan sees it: a wish for the scheduler, no more. */
  readonly node?: string;
  /** Set where it waits for a seat, or for a larger one. `Displaced` alone ends a pod. */
  readonly reason?: SeatReason;
  /** Place in the queue: exact below 10, from there that place or a later one ({@link queuePlace}). */
  readonly position?: number;
  /** What is in the way: `node NAME`, `agent NAME`, or what is short. */
  readonly blocking?: string;
}

/** The first place that stands for itself and for later ones. */
const ROUNDED_FROM = 10;

/**
 * A place in the queue, from 1: exact below 10, then the next lower of 10, 20, 50, 100 …, so that a long queue that
 * moves by one does not rewrite the status of every agent in it.
 */
export function queuePlace(exact: number): number {
  if (exact < ROUNDED_FROM) return exact;
  const power = 10 ** Math.floor(Math.log10(exact));
  const lead = [5, 2, 1].find((digit) => digit * power <= exact) ?? 1;
  return lead * power;
}

const placeInWords = (position: number): string =>
  position < ROUNDED_FROM ? `place ${position} in the queue` : `place ${position} or later in the queue`;

const SENTENCES: Readonly<Record<SeatReason, (blocking: string) => string>> = {
  NoSeat: (blocking) => `no node has ${blocking} left for a seat`,
  NodeFull: (blocking) => `${blocking}, the only node that the agent may use, has no room left`,
  NodeClosed: (blocking) => `${blocking}, the only node that the agent may use, is not ready or not open to agents`,
  NoNode: () => 'no node is ready and open to agents',
  GpuBooked: (blocking) => `every ${blocking} is taken`,
  TooLarge: (blocking) =>
    `no node that the agent may use has so much ${blocking} for agents, even if no other agent were there`,
  Displaced: (blocking) => `${blocking} is of a higher tier and needed the seat`,
  SeatClearing: (blocking) => `a pod on ${blocking} is ending and has the room of the seat until it is gone`,
  SeatPending: () => 'others wait for a seat too: its place among them is being worked out',
};

export const isSeatReason = (word: string): word is SeatReason => Object.hasOwn(SENTENCES, word);

/** A verdict in a sentence for a person. */
export function seatSentence({ granted, reason, blocking = '', position }: SeatVerdict): string {
  if (reason === undefined) return 'a seat is free';
  const where = position === undefined ? '' : `; ${placeInWords(position)}`;
  const why = `${SENTENCES[reason](blocking)}${where}`;
  return granted ? `keeps the seat that it has: ${why}` : why;
}
