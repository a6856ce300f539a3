import type { Amounts } from './room.ts';
import type { NodeBoard, Seated } from './node-board.ts';
import type { SeatClaim } from './seat-input.ts';
import { textOrder } from './text-order.ts';

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

/** The order of serving: the higher rank first; within it an agent that runs, then one that ran in this cycle, then the one that waits longest, then the older agent. */
export function firstServed(a: Want, b: Want): number {
  return (
    b.tier.rank - a.tier.rank ||
    standing(a) - standing(b) ||
    textOrder(a.claim.waitingSince, b.claim.waitingSince) ||
    textOrder(a.claim.createdAt, b.claim.createdAt) ||
    textOrder(a.claim.key, b.claim.key)
  );
}

/** Puts `want` where it belongs in a sorted queue: behind those that are served no later. */
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
