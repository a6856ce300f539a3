import { slim, type KubeObject, type OwnerReference, type StoredMeta } from '@hamlet/kube';
import { bytes, cpuMillis } from '@hamlet/core/seats';
import { CONTAINER } from '../child/compute.ts';
import {
  AGENT_LABEL,
  IMAGE_ANNOTATION,
  type ContainerState,
  type PodView,
  type ResizeState,
  type Size,
} from '../views.ts';

/** Of a pod as the API server answers it, what is read here. It has validated it: pods are its own kind. */
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
  readonly restartCount: number;
  readonly imageID?: string;
  readonly resources?: RawResources;
  readonly state?: {
    readonly running?: object;
    readonly waiting?: { readonly reason?: string; readonly message?: string };
  };
  readonly lastState?: { readonly terminated?: { readonly reason?: string; readonly exitCode?: number } };
}

/** Thousands of pods have a few sizes: each is one object. */
const SIZES = new Map<string, Size>();
const MAX_SIZES = 4_096;

function sizeOf(resources: RawResources | undefined): Size | undefined {
  const { cpu, memory } = resources?.limits ?? {};
  if (cpu === undefined || memory === undefined) return undefined;
  const key = `${cpu} ${memory}`;
  const known = SIZES.get(key);
  if (known !== undefined) return known;
  const size = { cpuMillis: cpuMillis(cpu), memoryBytes: bytes(memory) };
  if (SIZES.size < MAX_SIZES) SIZES.set(key, size);
  return size;
}

/** What a container that runs is, in one object for all of an image: thousands of pods run the same. */
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
  };
  RUNS.set(imageId, state);
  return state;
}

function endOf({ lastState }: RawContainer): string | undefined {
  if (lastState?.terminated === undefined) return undefined;
  const { reason = 'ended', exitCode = 'unknown' } = lastState.terminated;
  return `${reason} with exit code ${exitCode}`;
}

function containerState(container: RawContainer | undefined): ContainerState | undefined {
  if (container === undefined) return undefined;
  const { restartCount: restarts, imageID, state: { running, waiting } = {} } = container;
  const imageId = imageID === '' ? undefined : imageID;
  const lastEnd = endOf(container);
  if (running !== undefined && restarts === 0 && lastEnd === undefined) return runningState(imageId);
  return {
    running: running !== undefined,
    imageId,
    restarts,
    waitingReason: waiting?.reason,
    waitingMessage: waiting?.message,
    lastEnd,
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

/** Of the references the one that controls, without words that all pods share. */
function ownerOf(owners: readonly OwnerReference[] | undefined): readonly OwnerReference[] {
  const owner = owners?.find(({ controller }) => controller === true);
  return owner === undefined ? [] : [{ apiVersion: '', kind: 'Agent', name: '', uid: owner.uid, controller: true }];
}

/** Metadata of a pod of ours: five thousand of them are held. */
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

function statusParts({
  phase = 'Pending',
  reason,
  message,
  conditions = [],
  containerStatuses = [],
}: RawStatus): Omit<PodView, 'metadata' | 'image' | 'size' | 'nodeName'> {
  const [container] = containerStatuses;
  const isRunning = container?.state?.running !== undefined;
  return {
    given: isRunning ? sizeOf(container.resources) : undefined,
    resize: resizeState(conditions),
    disruption: disruptionOf(conditions),
    phase,
    scheduled: scheduledState(conditions.find(({ type }) => type === 'PodScheduled')),
    container: containerState(container),
    reason,
    message,
  };
}

/** Of a pod, what decides. */
export function podView(raw: RawPod): PodView {
  const { nodeName, containers = [] } = raw.spec ?? {};
  const asked = containers.find(({ name }) => name === CONTAINER) ?? containers[0];
  const metadata = metaOf(raw);
  return {
    metadata,
    image: metadata.annotations?.[IMAGE_ANNOTATION] ?? asked?.image,
    size: sizeOf(asked?.resources),
    nodeName,
    ...statusParts(raw.status ?? {}),
  };
}
