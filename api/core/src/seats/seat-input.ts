import type { Room } from './room.ts';

export interface SeatNode {
  readonly name: string;
  /** Ready, not cordoned and without taints. Only open nodes get new seats. */
  readonly open: boolean;
  readonly allocatable: Room;
  /** Room of its other pods: their requests, or the limits for agents of other villages. */
  readonly taken: Room;
  /** Room of ending pods without a request. */
  readonly ending?: Room | undefined;
}

export interface SeatTier {
  readonly name: string;
  /** An agent may take the seat of an agent of a lower rank. */
  readonly rank: number;
  /** The limits of a pod, not its requests. */
  readonly size: Room;
}

/** An ending pod holds its room until it is gone. */
export interface EndingPod {
  readonly node: string;
  readonly size: Room;
}

export interface SeatHolder {
  /** Undefined while the pod waits for the scheduler. */
  readonly node?: string | undefined;
  /** The node for which the operator created a pod that still waits. */
  readonly heldTo?: string | undefined;
  /** Present limits of the pod; those of the tier if undefined. */
  readonly size?: Room | undefined;
}

export interface SeatRequest {
  /** `namespace/name` of the Agent. */
  readonly key: string;
  readonly tier: string;
  /** A bought seat, which replaces that of the tier. */
  readonly seat?: Pick<SeatTier, 'rank' | 'size'> | undefined;
  readonly pod?: SeatHolder | undefined;
  /** Only the agent's own next pod may use their room before they are gone. */
  readonly ending?: readonly EndingPod[] | undefined;
  /** True if the agent had a seat in this cycle and is between two pods. */
  readonly seated: boolean;
  /** RFC 3339; undefined if the agent does not wait. */
  readonly waitingSince?: string | undefined;
  readonly createdAt: string;
  readonly pinnedTo?: string | undefined;
  /** The agent may depend on this node, so it displaces no agent elsewhere and does not move. */
  readonly volumeOn?: string | undefined;
  /** The scheduler chooses the node, which may differ from that of the seat. */
  readonly roams?: boolean;
}

export interface SeatInput {
  readonly nodes: readonly SeatNode[];
  readonly tiers: readonly SeatTier[];
  readonly requests: readonly SeatRequest[];
  /** Room that every node keeps free. */
  readonly reserve: Room;
}
