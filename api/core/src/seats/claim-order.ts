import type { Amounts } from './room.ts';
import type { NodeBoard, Seated } from './node-board.ts';
import type { SeatClaim } from './seat-input.ts';

/** A tier with its size as numbers. */
export interface SizedTier {
  readonly name: string;
  readonly rank: number;
  readonly size: Amounts;
}

/** A claim that a plan has not served yet. */
export interface Want {
  readonly claim: SeatClaim;
  readonly tier: SizedTier;
  /** What it has already and would outgrow. */
  readonly from?: { readonly board: NodeBoard; readonly seated: Seated } | undefined;
  /** Name of the agent that takes its present seat: it can get another only when its pod has ended. */
  readonly displacedBy?: string;
}

function standing({ claim: { pod, seated } }: Want): number {
  if (pod?.node !== undefined) return 0;
  return pod !== undefined || seated ? 1 : 2;
}

function compareText(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  return a < b ? -1 : 1;
}

/** Who is served first: the higher rank; within it who runs, then who ran in this cycle, then who waits longest, then the older agent. */
export function firstServed(a: Want, b: Want): number {
  return (
    b.tier.rank - a.tier.rank ||
    standing(a) - standing(b) ||
    compareText(a.claim.waitingSince, b.claim.waitingSince) ||
    compareText(a.claim.createdAt, b.claim.createdAt) ||
    compareText(a.claim.key, b.claim.key)
  );
}

/** Puts `want` where it belongs in what is left of a sorted queue. */
export function enqueue(queue: Want[], want: Want, from: number): void {
  let low = from;
  let high = queue.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = queue[middle];
    if (other !== undefined && firstServed(other, want) <= 0) low = middle + 1;
    else high = middle;
  }
  queue.splice(low, 0, want);
}
