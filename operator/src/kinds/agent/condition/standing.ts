import type { AgentStatus, Condition, ConditionType } from '@hamlet/contract/kinds';
import type { Observed, Standing } from '../views.ts';

/** What keeps an agent from having a pod, hardest first: a killed pod gets no time to end. */
const BARS = ['Killed', 'Banned', 'Quarantined', 'Frozen'] as const;
export type Bar = (typeof BARS)[number];

const HOLDS: Readonly<Record<Bar, (standing: Standing) => boolean>> = {
  Killed: ({ killed }) => killed,
  Banned: ({ banned }) => banned,
  Quarantined: ({ quarantined }) => quarantined,
  Frozen: ({ frozen }) => frozen,
};

const ACTS: Readonly<Record<Bar, string>> = {
  Killed: 'an admin has killed the agent: its pod stays away until that is lifted',
  Banned: 'an admin has banned the agent: nobody can awaken it until the ban is lifted or expires',
  Quarantined: 'an admin has quarantined the agent: lift the quarantine to let it run',
  Frozen: 'an admin has frozen the agent: thaw it to let it run',
};

/** Nothing is held against the agent, and nothing is known of its balance. */
export const GOOD: Standing = {
  quarantined: false,
  frozen: false,
  banned: false,
  killed: false,
  tokenRevoked: false,
  balanceTier: undefined,
  reason: undefined,
};

export function conditionIn({ conditions = [] }: AgentStatus, type: ConditionType): Condition | undefined {
  return conditions.find((condition) => condition.type === type);
}

/** What the status tells of the standing that was known when it was written. */
function lastKnown(status: AgentStatus): Standing {
  const entitled = conditionIn(status, 'Entitled');
  const bar = entitled?.status === 'False' ? entitled.reason : undefined;
  return {
    ...GOOD,
    killed: bar === 'Killed',
    banned: bar === 'Banned',
    frozen: bar === 'Frozen',
    quarantined: bar === 'Quarantined' || conditionIn(status, 'Quarantined')?.status === 'True',
    tokenRevoked: conditionIn(status, 'Connected')?.reason === 'TokenRevoked',
  };
}

/** What a standing is known from. */
export type StandingFacts = Pick<Observed, 'agent' | 'standing' | 'knowledge'>;

/** The standing that counts now: what the api said last, or what was known last where it has not been heard. */
export function standingOf({ knowledge, standing, agent }: StandingFacts): Standing {
  return knowledge === 'None' ? lastKnown(agent.status) : (standing ?? GOOD);
}

/** The hardest of what bars the agent from running. */
export function barOf(observed: StandingFacts): Bar | undefined {
  const standing = standingOf(observed);
  return BARS.find((bar) => HOLDS[bar](standing));
}

/** A sentence with the reason that the admin gave. */
export function barMessage(observed: StandingFacts, bar: Bar): string {
  const { reason } = standingOf(observed);
  return reason === undefined ? ACTS[bar] : `${ACTS[bar]}; the reason given: ${reason}`;
}
