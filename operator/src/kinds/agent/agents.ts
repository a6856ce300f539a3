import { GROUP, VERSION } from '@hamlet/contract/kinds';
import type { ResourceType } from '@hamlet/kube';

export const AGENTS: ResourceType = { group: GROUP, version: VERSION, plural: 'agents', kind: 'Agent' };
export const ENTITLEMENTS: ResourceType = {
  group: GROUP,
  version: VERSION,
  plural: 'entitlements',
  kind: 'Entitlement',
};
