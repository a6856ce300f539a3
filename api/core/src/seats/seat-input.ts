import type { Room } from './room.ts';

export interface SeatNode {
  readonly name: string;
  /** Ready, not cordoned and without taints. Only open nodes get new seats. */
  readonly open: boolean;
  /** Short of memory: it gives no new seat and no larger one. */
  readonly short?: boolean | undefined;
  readonly allocatable: Room;
  /** Room of the node's other pods: their requests; for agents of other villages, their limits. */
  readonly taken: Room;
  /** Room of ending pods that belong to no `SeatRequest`. */
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
  /** True if the pod must end, because its node is short of memory. */
  readonly paused?: boolean | undefined;
  /** The agent's ending pods. Only its next pod may use their room before they are gone. */
  readonly ending?: readonly EndingPod[] | undefined;
  /** True if the agent had a seat in this cycle and is between two pods. */
  readonly seated: boolean;
  /** RFC 3339; undefined if the agent does not wait. */
  readonly waitingSince?: string | undefined;
  readonly createdAt: string;
  readonly pinnedTo?: string | undefined;
  /** The node of the volume. The agent may depend on it, so it displaces no agent elsewhere and does not move. */
  readonly volumeOn?: string | undefined;
  /** True if the scheduler chooses the node, which may differ from the node of the seat. */
  readonly roams?: boolean;
}

export interface SeatInput {
  readonly nodes: readonly SeatNode[];
  readonly tiers: readonly SeatTier[];
  readonly requests: readonly SeatRequest[];
  /** Room that every node keeps free. */
  readonly reserve: Room;
}
