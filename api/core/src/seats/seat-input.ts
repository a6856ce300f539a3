import type { Room } from './room.ts';

/** A node as the seats see it. */
export interface SeatNode {
  readonly name: string;
  /** Ready, not cordoned and without taints. New seats are given on open nodes only. */
  readonly open: boolean;
  readonly allocatable: Room;
  /** Room of its pods that are no agents of this village: requests, and the limits of other villages' agents. */
  readonly taken: Room;
  /** Room of its ending pods of agents without a request: free once they are gone. */
  readonly ending?: Room | undefined;
}

/** A tier as the seats see it. */
export interface SeatTier {
  readonly name: string;
  /** An agent may take the seat of a lower rank. */
  readonly rank: number;
  /** The limits of one agent's pod: a seat holds the limits, not the requests. */
  readonly size: Room;
}

/** A pod that is ending. It holds its room until it is gone. */
export interface EndingPod {
  readonly node: string;
  readonly size: Room;
}

/** The living pod of an agent. */
export interface SeatHolder {
  /** Undefined while the pod waits for the scheduler. */
  readonly node?: string | undefined;
  /** The only node of a pod that waits for the scheduler: it was created for its seat there. */
  readonly heldTo?: string | undefined;
  /** Its present limits; those of the tier if left out. */
  readonly size?: Room | undefined;
}

/** The request of one agent that may and wants to run. */
export interface SeatRequest {
  /** `namespace/name` of the Agent. */
  readonly key: string;
  /** Name of its tier. */
  readonly tier: string;
  /** A bought seat, in place of the tier's. */
  readonly seat?: Pick<SeatTier, 'rank' | 'size'> | undefined;
  readonly pod?: SeatHolder | undefined;
  /** Its ending pods. Only its own next pod may begin beside them. */
  readonly ending?: readonly EndingPod[] | undefined;
  /** It had a seat in this cycle and is between two pods. */
  readonly seated: boolean;
  /** RFC 3339; undefined before it waits. */
  readonly waitingSince?: string | undefined;
  readonly createdAt: string;
  /** The only node it may run on, by its spec. */
  readonly pinnedTo?: string | undefined;
  /** The node of its volume, which may tie it there: no agent leaves another node for it, and it does not move. */
  readonly volumeOn?: string | undefined;
  /** The scheduler chooses its node, which may be another than that of its seat. */
  readonly roams?: boolean;
}

export interface SeatInput {
  readonly nodes: readonly SeatNode[];
  readonly tiers: readonly SeatTier[];
  readonly requests: readonly SeatRequest[];
  /** Room that every node keeps for itself. */
  readonly reserve: Room;
}
