import type { Boost } from '@hamlet/contract';
import { devicesOf } from '@hamlet/contract/kinds';
import { bytes, cpuMillis } from '@hamlet/core/seats';
import type { OperatedSpec, TierView } from './cached-objects.ts';

/**
 * Disk space on the node for the container's file system and log, in addition to the volume. The kubelet evicts a pod above this
 * limit. It is the same in every tier, because a resize cannot change it.
 */
export const SCRATCH = { request: '64Mi', limit: '4Gi' } as const;
const DISK = 'ephemeral-storage';
const GPU_CLAIM = 'gpu';

/** The limits of a container. In every tier the requests are half of the limits. */
export interface Size {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
}

export function sizeOf({ spec }: TierView): Size {
  const { cpu, memory } = spec.compute.resources;
  return { cpuMillis: cpuMillis(cpu), memoryBytes: bytes(memory) };
}

export function isSameSize(left: Size, right: Size): boolean {
  return left.cpuMillis === right.cpuMillis && left.memoryBytes === right.memoryBytes;
}

/** The last word of {@link fixedOf} for devices of a GPU window. */
const WINDOW = 'window';

/** The compute of a tier that cannot change while a pod runs, as text to compare: devices and priority. */
export function fixedOf({ spec, windowed = false }: TierView): string {
  const { gpu, priorityClassName = '' } = spec.compute;
  const devices = devicesOf(gpu);
  const gpus = gpu.claimTemplateName ?? (devices === undefined ? '' : `${devices.resourceName}=${devices.count}`);
  return [gpus, priorityClassName, windowed ? WINDOW : ''].join(' ').trim();
}

export const isOfWindow = (fixed: string): boolean => fixed.endsWith(` ${WINDOW}`);

const KIBI = 1_024;

/** Half of `cpu`, rounded up to a thousandth: `2` → `1000m`, `25m` → `13m`. */
const halfOfCpu = (cpu: string): string => `${Math.ceil(cpuMillis(cpu) / 2)}m`;

/** Half of `memory`, exactly: `1Mi` → `512Ki`, `2Gi` → `1Gi` in Mi. */
function halfOfMemory(memory: string): string {
  const halfKi = bytes(memory) / 2 / KIBI;
  return halfKi % KIBI === 0 ? `${halfKi / KIBI}Mi` : `${halfKi}Ki`;
}

/** cpu and memory of the hands. Requests are half of the limits: a resize must not change the QoS class, Burstable. */
export function sizeResources({ spec }: TierView): {
  readonly requests: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<string, string>>;
} {
  const { cpu, memory } = spec.compute.resources;
  return { requests: { cpu: halfOfCpu(cpu), memory: halfOfMemory(memory) }, limits: { cpu, memory } };
}

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

export function resourceClaimsOf({ spec }: TierView): { readonly resourceClaims?: readonly object[] } {
  const { claimTemplateName } = spec.compute.gpu;
  return claimTemplateName === undefined
    ? {}
    : { resourceClaims: [{ name: GPU_CLAIM, resourceClaimTemplateName: claimTemplateName }] };
}

/** True if the scheduler must choose the node: only it takes claim templates, runtime classes and spread into account. */
export function isSchedulersChoice({ placement, isolation }: OperatedSpec, tier: TierView): boolean {
  return (
    placement.nodeName === undefined &&
    (placement.spread === 'Required' ||
      isolation.runtimeClassName !== undefined ||
      tier.spec.compute.gpu.claimTemplateName !== undefined)
  );
}

/** A tier during its agent's GPU window. The window's GPUs replace the tier's; for the same kind, the larger number applies. */
export function boostedTier(tier: TierView, boost: Boost | undefined): TierView {
  if (boost === undefined || boost.gpu === null) return tier;
  const { resource_name: resourceName, count } = boost.gpu;
  const own = devicesOf(tier.spec.compute.gpu);
  const atLeast = own?.resourceName === resourceName ? own.count : 0;
  const gpu = { mode: 'Exclusive' as const, resourceName, count: Math.max(count, atLeast) };
  return { ...tier, spec: { ...tier.spec, compute: { ...tier.spec.compute, gpu } }, windowed: true };
}

export function boostedTiers(tiers: readonly TierView[], boost: Boost | undefined): readonly TierView[] {
  return boost === undefined || boost.gpu === null ? tiers : tiers.map((tier) => boostedTier(tier, boost));
}
