import type { Boost } from '@hamlet/contract';
import { devicesOf } from '@hamlet/contract/kinds';
import type { EndingPod, Room, SeatHolder, SeatRequest, SeatTier } from '@hamlet/core/seats';
import { bytes, cpuMillis } from '@hamlet/core/seats';
import { keyOf } from '@hamlet/kube';
import type { CachedAgent, TierView } from '../../objects/cached-objects.ts';
import { FIXED_ANNOTATION, SEAT_ANNOTATION } from '../../objects/names.ts';
import { RESIDENT_SHARE } from '../../objects/hands.ts';
import { isLiving, isOver, type PodView } from '../../objects/pod-view.ts';
import type { Size } from '../../objects/tier-compute.ts';

const DEVICES = /^([^\s=]+\/[^\s=]+)=(\d+)/;

const NO_SIZE: Size = { cpuMillis: 0, memoryBytes: 0 };

const withResident = ({ cpuMillis: cpu, memoryBytes: memory }: Size): Size => ({
  cpuMillis: cpu + RESIDENT_SHARE.cpuMillis,
  memoryBytes: memory + RESIDENT_SHARE.memoryBytes,
});

export function seatTier({ metadata, spec, handless }: TierView): AgentSeat {
  const { resources, gpu } = spec.compute;
  const devices = devicesOf(gpu);
  const hands =
    handless === true ? NO_SIZE : { cpuMillis: cpuMillis(resources.cpu), memoryBytes: bytes(resources.memory) };
  return {
    name: metadata.name,
    rank: spec.rank,
    size: {
      ...withResident(hands),
      pods: 1,
      devices: devices === undefined ? {} : { [devices.resourceName]: devices.count },
    },
    ...(handless === true ? { differs: true } : {}),
  };
}

/** Rank of a seat with a bought GPU window: above every tier, because the window belongs to its buyer. */
const WINDOW_RANK = 2_000;
/** Added to the rank of an agent that bought priority: above its own tier and below the next. */
const PRIORITY = 0.5;

export interface AgentSeat extends SeatTier {
  readonly differs?: boolean;
}

export function boostedSeat(tier: AgentSeat, boost: Boost | undefined): AgentSeat {
  if (boost === undefined) return tier;
  if (boost.gpu !== null) return { ...tier, rank: WINDOW_RANK, differs: true };
  return boost.priority ? { ...tier, rank: tier.rank + PRIORITY, differs: true } : tier;
}

export function podRoom({ size: own, hands, metadata }: PodView): Room | undefined {
  const size = hands === undefined ? own : withResident(own ?? NO_SIZE);
  if (size === undefined) return undefined;
  const [, device, count] = DEVICES.exec(metadata.annotations?.[FIXED_ANNOTATION] ?? '') ?? [];
  return { ...size, pods: 1, devices: device === undefined ? {} : { [device]: Number(count) } };
}

/** The ending pods of an agent. Each keeps its room until it is gone, even if its container takes long to end. */
export function endingPods(pods: readonly PodView[]): readonly EndingPod[] {
  return pods.flatMap((pod) => {
    const size = podRoom(pod);
    const isEnding = pod.metadata.deletionTimestamp !== undefined && !isOver(pod);
    return isEnding && pod.nodeName !== undefined && size !== undefined ? [{ node: pod.nodeName, size }] : [];
  });
}

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

export interface VolumeNode {
  readonly name: string;
  readonly ready: boolean;
  readonly local: boolean;
}

interface RequestParts {
  readonly agent: CachedAgent;
  readonly tier: AgentSeat;
  readonly isRoaming: boolean;
  readonly isPaused: boolean;
  readonly pods: readonly PodView[];
  readonly volumeNode: VolumeNode | undefined;
}

function nodesOf(
  spec: CachedAgent['spec'],
  volumeNode: VolumeNode | undefined,
): Pick<SeatRequest, 'pinnedTo' | 'volumeOn'> {
  const leaves = volumeNode?.ready === false && spec?.placement.onNodeLoss === 'MoveWithoutVolume';
  const volumeOn = leaves ? undefined : volumeNode?.name;
  // A pod could never start on a node other than that of its local volume.
  return { pinnedTo: spec?.placement.nodeName ?? (volumeNode?.local === true ? volumeOn : undefined), volumeOn };
}

export function seatRequest({ agent, tier, isRoaming, isPaused, pods, volumeNode }: RequestParts): SeatRequest {
  const { metadata, spec, status } = agent;
  const ending = endingPods(pods);
  return {
    key: keyOf(metadata),
    tier: tier.name,
    ...(tier.differs === true ? { seat: { rank: tier.rank, size: tier.size } } : {}),
    pod: holderOf(holdingPod(pods), tier),
    ...(isPaused ? { paused: true } : {}),
    ...(ending.length === 0 ? {} : { ending }),
    seated: status.power === 'Awake',
    waitingSince: status.waitingSince,
    createdAt: metadata.creationTimestamp ?? '',
    ...nodesOf(spec, volumeNode),
    roams: isRoaming,
  };
}
