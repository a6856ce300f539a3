import { devicesOf } from '@hamlet/contract/kinds';
import { bytes, cpuMillis } from '@hamlet/core/seats';
import { halfOfCpu, halfOfMemory } from './half.ts';
import type { Size, TierView } from '../views.ts';

/** Name of the container of every agent. */
export const CONTAINER = 'resident';
/**
 * Of the node's disk outside of the volume: what a pod writes to its own file system and its log. A pod that takes more than the limit is evicted, so
 * that it cannot fill the disk of its node. A resize cannot change this: it is the same in every tier.
 */
export const SCRATCH = { request: '64Mi', limit: '4Gi' } as const;
const DISK = 'ephemeral-storage';
/** Name of the device claim within a pod. */
export const GPU_CLAIM = 'gpu';

/** cpu and memory of a tier: what a pod can be given while it runs. */
export function sizeOf({ spec }: TierView): Size {
  const { cpu, memory } = spec.compute.resources;
  return { cpuMillis: cpuMillis(cpu), memoryBytes: bytes(memory) };
}

export function isSameSize(left: Size, right: Size): boolean {
  return left.cpuMillis === right.cpuMillis && left.memoryBytes === right.memoryBytes;
}

/** The last word of what is fixed, where the devices are those of a GPU window. */
const WINDOW = 'window';

/** What of a tier cannot change while a pod runs, as words to compare: its devices and its priority. */
export function fixedOf({ spec, windowed = false }: TierView): string {
  const { gpu, priorityClassName = '' } = spec.compute;
  const devices = devicesOf(gpu);
  const gpus = gpu.claimTemplateName ?? (devices === undefined ? '' : `${devices.resourceName}=${devices.count}`);
  return [gpus, priorityClassName, windowed ? WINDOW : ''].join(' ').trim();
}

/** Whether what is fixed has GPUs of a window. */
export function isOfWindow(fixed: string): boolean {
  return fixed.endsWith(` ${WINDOW}`);
}

/**
 * cpu and memory of the container. Half of the limit is requested in every tier: the pod is Burstable for ever, and a
 * resize may not change that class.
 */
export function sizeResources({ spec }: TierView): {
  readonly requests: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<string, string>>;
} {
  const { cpu, memory } = spec.compute.resources;
  return { requests: { cpu: halfOfCpu(cpu), memory: halfOfMemory(memory) }, limits: { cpu, memory } };
}

/** All resources of the container of a new pod, with its devices. */
export function resourcesOf(tier: TierView): object {
  const { gpu } = tier.spec.compute;
  const { requests, limits } = sizeResources(tier);
  const devices = devicesOf(gpu);
  const counted = devices === undefined ? {} : { [devices.resourceName]: String(devices.count) };
  const claims = gpu.claimTemplateName === undefined ? {} : { claims: [{ name: GPU_CLAIM }] };
  return {
    requests: { ...requests, [DISK]: SCRATCH.request, ...counted },
    limits: { ...limits, [DISK]: SCRATCH.limit, ...counted },
    ...claims,
  };
}

/** The pod's side of a device claim: the API server makes the claim from the template, and it ends with the pod. */
export function resourceClaimsOf({ spec }: TierView): { readonly resourceClaims?: readonly object[] } {
  const { claimTemplateName } = spec.compute.gpu;
  return claimTemplateName === undefined
    ? {}
    : { resourceClaims: [{ name: GPU_CLAIM, resourceClaimTemplateName: claimTemplateName }] };
}
