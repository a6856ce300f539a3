/** Pods of agents as the operator caches them: only the fields that it reads, because there may be five thousand pods. */
import { bytes, cpuMillis } from '@hamlet/core/seats';
import { slim, type KubeObject, type OwnerReference, type StoredMeta } from '@hamlet/kube';
import { HANDS, RESIDENT } from './hands.ts';
import { AGENT_LABEL, HANDS_ANNOTATION, IMAGE_ANNOTATION } from './names.ts';
import { isSameSize, type Size } from './tier-compute.ts';

export interface ContainerState {
  readonly running: boolean;
  readonly imageId?: string | undefined;
  readonly restarts: number;
  readonly waitingReason: string | undefined;
  readonly waitingMessage: string | undefined;
  readonly lastEnd: string | undefined;
  /** True if the container last ended for lack of memory. */
  readonly outOfMemory: boolean;
}

interface ResizeState {
  readonly type: 'PodResizePending' | 'PodResizeInProgress';
  /** `Infeasible` or `Deferred` while the resize is pending, `Error` if it keeps failing. */
  readonly reason: string;
  readonly message: string;
}

export interface PodView extends KubeObject {
  /** The image that the operator requested; the container's image if the annotation is missing. */
  readonly image: string | undefined;
  /** The image of the hands, empty without hands; undefined for a pod of an older operator, with one container for all. */
  readonly hands: string | undefined;
  /** The limits of the container with the tier's compute, in the pod's spec; undefined without hands. */
  readonly size: Size | undefined;
  /** The limits that the node has given that container, once it runs. */
  readonly given: Size | undefined;
  readonly resize: ResizeState | undefined;
  /** The reason why Kubernetes ends the pod, for example `PreemptionByScheduler`. */
  readonly disruption: string | undefined;
  readonly nodeName: string | undefined;
  readonly phase: string;
  readonly scheduled: { readonly status: string; readonly reason: string; readonly message: string } | undefined;
  readonly container: ContainerState | undefined;
  readonly handsContainer: ContainerState | undefined;
  readonly reason: string | undefined;
  readonly message: string | undefined;
}

export const isOver = ({ phase }: PodView): boolean => phase === 'Failed' || phase === 'Succeeded';

export const isLiving = (pod: PodView): boolean => pod.metadata.deletionTimestamp === undefined && !isOver(pod);

/** True if the node has not given the pod the size in its spec yet. */
export function isResizing({ size, given }: PodView): boolean {
  return size !== undefined && given !== undefined && !isSameSize(size, given);
}

interface RawPod extends KubeObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly containers?: readonly {
      readonly name: string;
      readonly image?: string;
      readonly resources?: RawResources;
    }[];
  };
  readonly status?: RawStatus;
}

interface RawStatus {
  readonly phase?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly conditions?: readonly RawCondition[];
  readonly containerStatuses?: readonly RawContainer[];
}

interface RawResources {
  readonly limits?: Readonly<Record<string, string>>;
}

interface RawCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

interface RawContainer {
  readonly name?: string;
  readonly restartCount: number;
  readonly imageID?: string;
  readonly resources?: RawResources;
  readonly state?: {
    readonly running?: object;
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly terminated?: RawEnd;
  };
  readonly lastState?: { readonly terminated?: RawEnd };
}

interface RawEnd {
  readonly reason?: string;
  readonly exitCode?: number;
  readonly finishedAt?: string;
}

/** One shared object for each size, because thousands of pods share few sizes. */
const SIZES = new Map<string, Size>();
const MAX_SIZES = 4_096;

function limitsOf(resources: RawResources | undefined): Size | undefined {
  const { cpu, memory } = resources?.limits ?? {};
  if (cpu === undefined || memory === undefined) return undefined;
  const key = `${cpu} ${memory}`;
  const known = SIZES.get(key);
  if (known !== undefined) return known;
  const size = { cpuMillis: cpuMillis(cpu), memoryBytes: bytes(memory) };
  if (SIZES.size < MAX_SIZES) SIZES.set(key, size);
  return size;
}

/** One shared state for all running containers of an image. */
const RUNS = new Map<string | undefined, ContainerState>();
const IMAGES_MAX = 64;

function runningState(imageId: string | undefined): ContainerState {
  const known = RUNS.get(imageId);
  if (known !== undefined) return known;
  if (RUNS.size >= IMAGES_MAX) RUNS.clear();
  const state: ContainerState = {
    running: true,
    imageId,
    restarts: 0,
    waitingReason: undefined,
    waitingMessage: undefined,
    lastEnd: undefined,
    outOfMemory: false,
  };
  RUNS.set(imageId, state);
  return state;
}

function lastEndOf({ state, lastState }: RawContainer): RawEnd | undefined {
  return state?.terminated ?? lastState?.terminated;
}

function endOf(end: RawEnd | undefined): Pick<ContainerState, 'lastEnd' | 'outOfMemory'> {
  if (end === undefined) return { lastEnd: undefined, outOfMemory: false };
  const { reason = 'ended', exitCode = 'unknown', finishedAt } = end;
  const at = finishedAt === undefined ? '' : ` at ${finishedAt}`;
  return { lastEnd: `${reason} with exit code ${exitCode}${at}`, outOfMemory: reason === 'OOMKilled' };
}

function containerState(container: RawContainer | undefined): ContainerState | undefined {
  if (container === undefined) return undefined;
  const { restartCount: restarts, imageID, state: { running, waiting } = {} } = container;
  const imageId = imageID === '' ? undefined : imageID;
  const end = lastEndOf(container);
  if (running !== undefined && restarts === 0 && end === undefined) return runningState(imageId);
  return {
    running: running !== undefined,
    imageId,
    restarts,
    waitingReason: waiting?.reason,
    waitingMessage: waiting?.message,
    ...endOf(end),
  };
}

const SCHEDULED: PodView['scheduled'] = { status: 'True', reason: '', message: '' };

function scheduledState(condition: RawCondition | undefined): PodView['scheduled'] {
  if (condition === undefined) return undefined;
  return condition.status === 'True'
    ? SCHEDULED
    : { status: condition.status, reason: condition.reason ?? '', message: condition.message ?? '' };
}

function resizeState(conditions: readonly RawCondition[]): ResizeState | undefined {
  for (const { type, status, reason = '', message = '' } of conditions) {
    if (status === 'True' && (type === 'PodResizePending' || type === 'PodResizeInProgress'))
      return { type, reason, message };
  }
  return undefined;
}

/** The uid of the controlling owner. Fields that no reader needs are empty. */
function ownerOf(owners: readonly OwnerReference[] | undefined): readonly OwnerReference[] {
  const owner = owners?.find(({ controller }) => controller === true);
  return owner === undefined ? [] : [{ apiVersion: '', kind: 'Agent', name: '', uid: owner.uid, controller: true }];
}

function metaOf(raw: RawPod): StoredMeta {
  const {
    name,
    namespace,
    uid,
    resourceVersion,
    creationTimestamp,
    deletionTimestamp,
    labels,
    annotations,
    ownerReferences,
  } = slim(raw).metadata;
  const agent = labels?.[AGENT_LABEL];
  return {
    name,
    uid,
    resourceVersion,
    ownerReferences: ownerOf(ownerReferences),
    ...(namespace === undefined ? {} : { namespace }),
    ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(agent === undefined ? {} : { labels: { [AGENT_LABEL]: agent } }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

const disruptionOf = (conditions: readonly RawCondition[]): string | undefined =>
  conditions.find(({ type, status }) => type === 'DisruptionTarget' && status === 'True')?.reason;

function statusNamed(containers: readonly RawContainer[], name: string): RawContainer | undefined {
  return containers.find((each) => each.name === name) ?? (containers.length === 1 ? containers[0] : undefined);
}

function statusParts(
  { phase = 'Pending', reason, message, conditions = [], containerStatuses = [] }: RawStatus,
  sized: string | undefined,
): Omit<PodView, 'metadata' | 'image' | 'hands' | 'size' | 'nodeName'> {
  const withSize = sized === undefined ? undefined : statusNamed(containerStatuses, sized);
  return {
    given: withSize?.state?.running === undefined ? undefined : limitsOf(withSize.resources),
    resize: resizeState(conditions),
    disruption: disruptionOf(conditions),
    phase,
    scheduled: scheduledState(conditions.find(({ type }) => type === 'PodScheduled')),
    container: containerState(statusNamed(containerStatuses, RESIDENT)),
    handsContainer: containerState(containerStatuses.find(({ name }) => name === HANDS)),
    reason,
    message,
  };
}

/** The container with the tier's compute: the hands, or the only one of an older operator's pod. */
export function sizedContainer({ hands }: Pick<PodView, 'hands'>): string | undefined {
  if (hands === undefined) return RESIDENT;
  return hands === '' ? undefined : HANDS;
}

export function podView(raw: RawPod): PodView {
  const { nodeName, containers = [] } = raw.spec ?? {};
  const metadata = metaOf(raw);
  const hands = metadata.annotations?.[HANDS_ANNOTATION];
  const sized = sizedContainer({ hands });
  const named = (name: string): (typeof containers)[number] | undefined =>
    containers.find((each) => each.name === name) ?? (hands === undefined ? containers[0] : undefined);
  return {
    metadata,
    image: metadata.annotations?.[IMAGE_ANNOTATION] ?? named(RESIDENT)?.image,
    hands,
    size: sized === undefined ? undefined : limitsOf(named(sized)?.resources),
    nodeName,
    ...statusParts(raw.status ?? {}, sized),
  };
}
