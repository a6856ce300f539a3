import type { AgentSpec } from '@hamlet/contract/kinds';
import { ACP_PRESETS, ACP_RUNTIME, type AcpPresetName, isAcpPreset, PRESET_MEMORY } from '@hamlet/contract/presets';
import { bytes } from '../seats/quantity.ts';

/** The part of a tier that decides. `memory` is a quantity, such as 512Mi. */
export interface MemoryTier {
  readonly name: string;
  readonly rank: number;
  readonly memory: string;
}

/** The preset that an Agent names in `spec.runtime`; null for any other mind, and for a preset of a newer village. */
export function presetNamed({ name, config = {} }: AgentSpec['runtime']): AcpPresetName | null {
  const { preset = '' } = config;
  return name === ACP_RUNTIME && isAcpPreset(preset) ? preset : null;
}

/**
 * Why a preset's program cannot work with the memory of its agent's tier, and the tier of the lowest rank that has enough; null if
 * the tier has enough. Pure.
 */
export function memoryShortage(
  preset: AcpPresetName,
  tier: Pick<MemoryTier, 'name' | 'memory'>,
  tiers: readonly MemoryTier[],
): string | null {
  const isEnough = ({ memory }: Pick<MemoryTier, 'memory'>): boolean => bytes(memory) >= bytes(PRESET_MEMORY);
  if (isEnough(tier)) return null;
  const larger = tiers.filter(isEnough).toSorted((left, right) => left.rank - right.rank)[0];
  const fix =
    larger === undefined
      ? `create an Entitlement with ${PRESET_MEMORY} of memory, and name it in spec.entitlement`
      : `name the tier ${larger.name}, which has ${larger.memory}, in spec.entitlement`;
  return `${ACP_PRESETS[preset].title} needs about ${PRESET_MEMORY} of memory, and the tier ${tier.name} has ${tier.memory}: ${fix}`;
}
