import type { ConditionStatus, Reason } from '@hamlet/contract/kinds';
import type { Observed, TierView } from '../views.ts';

/** What a condition will say. `PodScheduled` may carry a reason of the scheduler's own. */
export interface Verdict {
  readonly status: ConditionStatus;
  readonly reason: Reason | (string & {});
  readonly message: string;
}

/** May the agent run, and as what. */
export interface Admission {
  readonly accepted: Verdict;
  readonly entitled: Verdict;
  readonly admitted: Verdict;
  /** The tier, where one is known. */
  readonly tier: TierView | undefined;
  /** All three hold. */
  readonly granted: boolean;
}

const yes = (reason: Reason, message: string): Verdict => ({ status: 'True', reason, message });
const no = (reason: Reason, message: string): Verdict => ({ status: 'False', reason, message });

function pinnedTier({ tiers }: Observed, name: string): readonly [Verdict, TierView | undefined] {
  const tier = tiers.find(({ metadata }) => metadata.name === name);
  if (tier === undefined) return [no('EntitlementNotFound', `spec.entitlement names "${name}", and there is no such Entitlement: create it or name another`), undefined];
  return [yes('Pinned', `tier ${name}, pinned by spec.entitlement`), tier];
}

/** Until the api has said what the balance reaches, the lowest tier that is open to a balance of 0. */
function tierByBalance({ tiers, standing }: Observed): readonly [Verdict, TierView | undefined] {
  const told = tiers.find(({ metadata }) => metadata.name === standing?.balanceTier);
  if (told !== undefined) return [yes('ByBalance', `tier ${told.metadata.name}, by its balance`), told];
  const open = tiers.find(({ spec }) => Number(spec.minBalance) <= 0);
  if (open !== undefined) return [yes('ByBalance', `tier ${open.metadata.name}, open to a balance of 0`), open];
  return [no('NoEntitlementReached', 'no Entitlement is open to a balance of 0: create one with minBalance "0"'), undefined];
}

function tierOf(observed: Observed): readonly [Verdict, TierView | undefined] {
  const choice = observed.agent.spec?.entitlement;
  if (choice === undefined) return [no('Waiting', 'waits for a spec that can be read'), undefined];
  return choice.policy === 'Pinned' && choice.name !== undefined ? pinnedTier(observed, choice.name) : tierByBalance(observed);
}

function entitlement(observed: Observed): readonly [Verdict, TierView | undefined] {
  const [verdict, tier] = tierOf(observed);
  if (observed.standing?.quarantined === true) return [no('Quarantined', 'an admin has quarantined the agent: lift the quarantine to let it run'), tier];
  if (observed.standing?.frozen === true) return [no('Frozen', 'an admin has frozen the agent: thaw it to let it run'), tier];
  return [verdict, tier];
}

function seat({ agent, settings }: Observed, entitled: Verdict): Verdict {
  if (entitled.status !== 'True') return no('Waiting', 'waits for Entitled');
  if (agent.spec?.isolation.userNamespace === 'Required' && settings.userNamespaces === 'Off') {
    return no('UserNamespaceUnavailable', 'spec.isolation.userNamespace is Required and this village runs without user namespaces: write Preferred, or turn them on in the chart');
  }
  return yes('Admitted', 'a seat is free');
}

/** The first three conditions, which decide whether there shall be a pod. */
export function admissionOf(observed: Observed): Admission {
  const { problem } = observed.agent;
  const accepted = problem === undefined ? yes('Accepted', 'the spec is complete') : no('InvalidSpec', problem);
  const [entitled, tier] = entitlement(observed);
  const admitted = seat(observed, entitled);
  const granted = [accepted, entitled, admitted].every(({ status }) => status === 'True');
  return { accepted, entitled, admitted, tier, granted };
}
