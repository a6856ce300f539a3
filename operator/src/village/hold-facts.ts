import type { ComputeClaim } from '@hamlet/contract';
import type { HoldFacts } from '../kinds/agent/views.ts';

/** What the api holds for an agent, in the words of the operator. */
export function holdFacts(claim: ComputeClaim): HoldFacts {
  const { uid, version, cycle, held, tier, until, pod_uid: podUid, refused } = claim;
  return {
    uid,
    version,
    cycle,
    held,
    tier: tier ?? undefined,
    untilMs: until === null ? undefined : Date.parse(until),
    podUid: podUid ?? undefined,
    refused:
      refused === null
        ? undefined
        : {
            tier: refused.tier,
            reason: refused.reason === 'NotPaid' ? 'NotPaid' : 'HoldRefused',
            payable: refused.payable ?? undefined,
          },
  };
}
