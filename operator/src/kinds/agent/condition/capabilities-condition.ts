import { no, yes, type ConditionResult } from '../../../status/condition.ts';
import type { Observed } from '../observe.ts';

/**
 * `CapabilitiesReady`: whether the resident misses something that its Agent was promised. It stands beside the chain, because the
 * agent works on without it. A resident that has not reported yet counts as one that misses nothing, so that the start of an agent costs
 * no write more.
 * @param connected the condition Connected
 */
export function capabilitiesResult(
  { agent: { metadata, status }, capabilities }: Observed,
  connected: ConditionResult,
): ConditionResult {
  if (connected.reason === 'Asleep') return connected;
  if (connected.status !== 'True') return no('Waiting', 'waits for Connected');
  const isPresent = capabilities?.uid === metadata.uid && capabilities.cycle === (status.cycle ?? 0);
  if (!isPresent || capabilities.broken === 0)
    return yes('NothingMissing', 'the resident has reported nothing as missing');
  const { broken, checked, message } = capabilities;
  return no('CapabilityMissing', `${broken} of ${checked} are missing: ${message}`);
}
