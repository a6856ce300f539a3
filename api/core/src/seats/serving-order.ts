import type { Amounts } from './room.ts';
import { type NodeRoom, type Seated, textOrder } from './node-room.ts';
import type { SeatRequest } from './seat-input.ts';

export interface SizedTier {
  readonly name: string;
  readonly rank: number;
  readonly size: Amounts;
}

export interface Want {
  readonly request: SeatRequest;
  readonly tier: SizedTier;
  /** The present seat of an agent that wants a larger one. */
  readonly from?: { readonly node: NodeRoom; readonly seated: Seated } | undefined;
  /** The agent that displaced this one. The displaced agent gets another seat only after its pod has ended. */
  readonly displacedBy?: string;
}

function precedence({ request: { pod, seated } }: Want): number {
  if (pod?.node !== undefined) return 0;
  return pod !== undefined || seated ? 1 : 2;
}

/** Order: higher ranks, running agents, agents with a waiting pod or between pods, the longest wait, older agents. */
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
