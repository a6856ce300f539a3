import { INSTALL_TOOL, REGISTRY_OF, type CallOutcome } from '@hamlet/contract';
import { registryOff } from '@hamlet/core/egress';
import type { EgressOf } from '../../egress/egress-of.ts';
import { deniedOutcome } from '../call-outcomes.ts';

/**
 * Denies a call of `install_package` whose registry is switched off, before a person is asked. It uses the broker's
 * message, because the broker would refuse it too.
 */
export function deniedByRegistry(
  { egressOf }: { readonly egressOf: EgressOf },
  { agentId, tool, value }: { readonly agentId: string; readonly tool: string; readonly value: unknown },
): CallOutcome | null {
  if (tool !== 'install_package') return null;
  const manager = INSTALL_TOOL.install_package.input.safeParse(value).data?.manager;
  if (manager === undefined || egressOf(agentId).registries[REGISTRY_OF[manager]] !== undefined) return null;
  const { code, message } = registryOff(REGISTRY_OF[manager]);
  return deniedOutcome(code, `Nothing was installed: ${message}.`);
}
