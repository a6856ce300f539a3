/** The containers of an agent's pod: the resident, and the hands, in which tools run. */
import { bytes, cpuMillis } from '@hamlet/core/seats';
import type { OperatedSpec, TierView } from './cached-objects.ts';
import type { Size } from './tier-compute.ts';

/** The container of the engine, with the journal and the token. */
export const RESIDENT = 'resident';
/** The container of tools. It has the compute of the tier. */
export const HANDS = 'hands';
/** The user of the resident, without rights. The hands are root in the pod's user namespace. */
export const RESIDENT_UID = 1_000;

/** The resident's part of a seat: its guaranteed cpu, and its maximum memory. */
export const RESIDENT_SHARE_TEXT = { cpu: '100m', memory: '256Mi' } as const;

/**
 * Resources of the resident, the same in every tier. It may use an idle processor: its start takes about half a second of cpu
 * time. When idle it needs less than 100 MB.
 */
export const RESIDENT_RESOURCES = {
  requests: { cpu: RESIDENT_SHARE_TEXT.cpu, memory: '128Mi', 'ephemeral-storage': '16Mi' },
  limits: { cpu: '1', memory: RESIDENT_SHARE_TEXT.memory, 'ephemeral-storage': '256Mi' },
} as const;

export const RESIDENT_SHARE: Size = {
  cpuMillis: cpuMillis(RESIDENT_SHARE_TEXT.cpu),
  memoryBytes: bytes(RESIDENT_SHARE_TEXT.memory),
};

export const hasHands = ({ hands }: Pick<OperatedSpec, 'hands'>): boolean => hands?.enabled ?? true;

export function handsImageOf(spec: Pick<OperatedSpec, 'hands'>, { image }: { readonly image: string }): string {
  return hasHands(spec) ? (spec.hands?.image ?? image) : '';
}

/** True if the village allows the image of the hands: its own, and those of the list. */
export function isAllowedImage(image: string, allowed: readonly string[]): boolean {
  return allowed.some(
    (begin) => image === begin || (image.startsWith(begin) && /^[/:@]/.test(image.slice(begin.length))),
  );
}

/** The tiers as they apply to an agent: without hands, their compute and devices do not apply. */
export function tiersFor(
  tiers: readonly TierView[],
  spec: Pick<OperatedSpec, 'hands'> | undefined,
): readonly TierView[] {
  return spec === undefined || hasHands(spec) ? tiers : tiers.map(handlessTier);
}

function handlessTier(tier: TierView): TierView {
  const { compute } = tier.spec;
  const { windowed: _windowed, ...kept } = tier;
  return {
    ...kept,
    spec: { ...tier.spec, compute: { ...compute, gpu: { mode: 'None', count: 0 } } },
    handless: true,
  };
}
