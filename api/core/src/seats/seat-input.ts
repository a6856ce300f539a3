import type { Room } from './room.ts';

/** A node as seats see it. */
export interface SeatNode {
  readonly name: string;
  /** Ready, not cordoned, and without a taint that agents do not tolerate: new seats are given on open nodes only. */
  readonly open: boolean;
  readonly allocatable: Room;
  /** What pods on it take that are not agents of this village: requests, and the limits of other villages' agents. */
  readonly taken: Room;
  /** What pods of agents on it take that are ending and make no claim: it is free once they are gone. */
  readonly ending?: Room | undefined;
}

/** A tier as seats see it. */
export interface SeatTier {
  readonly name: string;
  /** Who needs a seat may take it from a lower rank. */
  readonly rank: number;
  /** The limits of one agent's pod: a seat holds what its agent may use, not what it requests. */
  readonly size: Room;
}

/** A pod that is ending: it holds its room until it is gone. */
export interface EndingPod {
  readonly node: string;
  readonly size: Room;
}

/** The pod that an agent has already, where it is not ending. */
export interface SeatHolder {
  /** Undefined while the pod waits for the scheduler. */
  readonly node?: string | undefined;
  /** The only node that a pod which waits for the scheduler may get: it was made for the seat there. */
  readonly heldTo?: string | undefined;
  /** What it may use now; that of the tier if left out. */
  readonly size?: Room | undefined;
}

/** One agent that may and wants to run. */
export interface SeatClaim {
  /** `namespace/name` of the Agent. */
  readonly key: string;
  /** Name of the tier that it is entitled to. */
  readonly tier: string;
  /** In place of the tier's, where it has bought another for a time. */
  readonly seat?: Pick<SeatTier, 'rank' | 'size'> | undefined;
  readonly pod?: SeatHolder | undefined;
  /** Its earlier pods that are ending. Its next pod may begin beside them; nobody else's may. */
  readonly ending?: readonly EndingPod[] | undefined;
  /** It had a seat in this cycle and is between two pods. */
  readonly seated: boolean;
  /** RFC 3339; undefined if it does not wait yet. */
  readonly waitingSince?: string | undefined;
  readonly createdAt: string;
  /** The only node it may run on, by its spec. */
  readonly pinnedTo?: string | undefined;
  /** The node of its volume, which may tie it there: no one else leaves another node for it, and it does not move off. */
  readonly volumeOn?: string | undefined;
}

export interface SeatInput {
  readonly nodes: readonly SeatNode[];
  readonly tiers: readonly SeatTier[];
  readonly claims: readonly SeatClaim[];
  /** What every node keeps for itself. */
  readonly reserve: Room;
}
