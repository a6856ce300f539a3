import { devicesOf } from '@hamlet/contract/kinds';
import {
  bytes,
  cpuMillis,
  type EndingPod,
  type Room,
  type SeatClaim,
  type SeatHolder,
  type SeatTier,
} from '@hamlet/core/seats';
import { keyOf } from '@hamlet/kube';
import {
  FIXED_ANNOTATION,
  isLiving,
  isOver,
  SEAT_ANNOTATION,
  type AgentView,
  type Boost,
  type PodView,
  type TierView,
} from '../agent/views.ts';

/** Devices in the annotation of a pod, as `fixedOf` writes them. */
const DEVICES = /^([^\s=]+\/[^\s=]+)=(\d+)/;

/** What a tier gives to one agent, and how it stands among the tiers. */
export function seatTier({ metadata, spec }: TierView): SeatTier {
  const { resources, gpu } = spec.compute;
  const devices = devicesOf(gpu);
  return {
    name: metadata.name,
    rank: spec.rank,
    size: {
      cpuMillis: cpuMillis(resources.cpu),
      memoryBytes: bytes(resources.memory),
      pods: 1,
      devices: devices === undefined ? {} : { [devices.resourceName]: devices.count },
    },
  };
}

/** Above every tier: a GPU that was sold for a time is the buyer's, whoever sits on it. */
const WINDOW_RANK = 2_000;
/** Above one's own tier and below the next. */
const PRIORITY = 0.5;

/** The seat of one agent: that of its tier, or one that it has bought for a time. */
export interface AgentSeat extends SeatTier {
  readonly boosted?: boolean;
}

/** What an agent has bought lets it be served before others. */
export function boostedSeat(tier: SeatTier, boost: Boost | undefined): AgentSeat {
  if (boost?.gpu !== undefined) return { ...tier, rank: WINDOW_RANK, boosted: true };
  return boost?.priority === true ? { ...tier, rank: tier.rank + PRIORITY, boosted: true } : tier;
}

/** What a pod may use of its node; undefined if it does not say. */
export function podRoom({ size, metadata }: PodView): Room | undefined {
  if (size === undefined) return undefined;
  const [, device, count] = DEVICES.exec(metadata.annotations?.[FIXED_ANNOTATION] ?? '') ?? [];
  return { ...size, pods: 1, devices: device === undefined ? {} : { [device]: Number(count) } };
}

/** The pods of an agent that are ending: each holds its room until it is gone, however long its container takes. */
export function endingPods(pods: readonly PodView[]): readonly EndingPod[] {
  return pods.flatMap((pod) => {
    const size = podRoom(pod);
    const isEnding = pod.metadata.deletionTimestamp !== undefined && !isOver(pod);
    return isEnding && pod.nodeName !== undefined && size !== undefined ? [{ node: pod.nodeName, size }] : [];
  });
}

/** The pod that an agent has, of those that are its own: the bound one, if there is one. */
export function holdingPod(pods: readonly PodView[]): PodView | undefined {
  const held = pods.filter(isLiving);
  return held.find(({ nodeName }) => nodeName !== undefined) ?? held[0];
}

function isOfSize(room: Room, { size }: SeatTier): boolean {
  const [name, count] = Object.entries(size.devices)[0] ?? ['', 0];
  const devices =
    Object.keys(room.devices).length === Object.keys(size.devices).length && (room.devices[name] ?? 0) === count;
  return room.cpuMillis === size.cpuMillis && room.memoryBytes === size.memoryBytes && devices;
}

function holderOf(pod: PodView | undefined, tier: SeatTier): SeatHolder | undefined {
  if (pod === undefined) return undefined;
  const room = podRoom(pod);
  const heldTo = pod.nodeName === undefined ? pod.metadata.annotations?.[SEAT_ANNOTATION] : undefined;
  return {
    node: pod.nodeName,
    ...(heldTo === undefined ? {} : { heldTo }),
    ...(room === undefined || isOfSize(room, tier) ? {} : { size: room }),
  };
}

/** What a claim is made of. */
export interface ClaimParts {
  readonly agent: AgentView;
  readonly tier: AgentSeat;
  /** Its own pods. */
  readonly pods: readonly PodView[];
  /** The node that its volume lies on, and whether that node still answers. */
  readonly volumeNode: { readonly name: string; readonly ready: boolean } | undefined;
}

/** The claim of an agent that wants to run and may. */
export function seatClaim({ agent: { metadata, spec, status }, tier, pods, volumeNode }: ClaimParts): SeatClaim {
  const ending = endingPods(pods);
  const leaves = volumeNode?.ready === false && spec?.placement.onNodeLoss === 'MoveWithoutVolume';
  return {
    key: keyOf(metadata),
    tier: tier.name,
    ...(tier.boosted === true ? { seat: { rank: tier.rank, size: tier.size } } : {}),
    pod: holderOf(holdingPod(pods), tier),
    ...(ending.length === 0 ? {} : { ending }),
    seated: status.power === 'Awake',
    waitingSince: status.waitingSince,
    createdAt: metadata.creationTimestamp ?? '',
    pinnedTo: spec?.placement.nodeName,
    volumeOn: leaves ? undefined : volumeNode?.name,
  };
}
