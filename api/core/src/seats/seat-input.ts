import type { Room } from './room.ts';

/** The properties of a node on which seats depend. */
export interface SeatNode {
  readonly name: string;
  /** True if the node is ready, not cordoned and without taints. Only open nodes get new seats. */
  readonly open: boolean;
  readonly allocatable: Room;
  /** Room of its pods that are not agents of this village: their requests, or the limits for agents of other villages. */
  readonly taken: Room;
  /** Room of ending pods whose agents make no request; it is free once they are gone. */
  readonly ending?: Room | undefined;
}

/** The properties of a tier on which seats depend. */
export interface SeatTier {
  readonly name: string;
  /** An agent may take the seat of an agent of a lower rank. */
  readonly rank: number;
  /** The limits of one agent's pod. A seat reserves the limits, not the requests. */
  readonly size: Room;
}

/** An ending pod, which holds its room until it is gone. */
export interface EndingPod {
  readonly node: string;
  readonly size: Room;
}

/** The pod of an agent that is not ending. */
export interface SeatHolder {
  /** Undefined while the pod waits for the scheduler. */
  readonly node?: string | undefined;
  /** The node for which the operator created a pod that still waits for the scheduler: its seat is there. */
  readonly heldTo?: string | undefined;
  /** Present limits of the pod; those of the tier if undefined. */
  readonly size?: Room | undefined;
}

/** The request for a seat of one agent that should run. */
export interface SeatRequest {
  /** `namespace/name` of the Agent. */
  readonly key: string;
  /** Name of its tier. */
  readonly tier: string;
  /** A bought seat, which replaces that of the tier. */
  readonly seat?: Pick<SeatTier, 'rank' | 'size'> | undefined;
  readonly pod?: SeatHolder | undefined;
  /** The agent's ending pods. Only its own next pod may use their room before they are gone. */
  readonly ending?: readonly EndingPod[] | undefined;
  /** True if the agent had a seat in this cycle and is between two pods. */
  readonly seated: boolean;
  /** Beginning of the wait for a seat, RFC 3339; undefined if the agent does not wait. */
  readonly waitingSince?: string | undefined;
  readonly createdAt: string;
  /** The only node that the agent's spec allows. */
  readonly pinnedTo?: string | undefined;
  /** The node of the agent's volume. The agent may depend on that node, so it displaces no agent elsewhere and does not move. */
  readonly volumeOn?: string | undefined;
  /** True if the scheduler chooses the node of the pod, which may differ from that of the seat. */
  readonly roams?: boolean;
}

export interface SeatInput {
  readonly nodes: readonly SeatNode[];
  readonly tiers: readonly SeatTier[];
  readonly requests: readonly SeatRequest[];
  /** Room that every node keeps free of agents. */
  readonly reserve: Room;
}
