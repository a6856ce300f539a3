import { goodStanding, type Standing } from '@hamlet/contract';
import { conditionIn } from '../../../status/condition.ts';
import type { Facts } from '../facts.ts';

/** Measures that keep an agent from having a pod, hardest first. The pod of a killed agent gets no grace period. */
const BARS = ['Killed', 'Banned', 'Quarantined', 'Frozen'] as const;
export type Bar = (typeof BARS)[number];

export const isBar = (reason: string | undefined): reason is Bar => BARS.some((bar) => bar === reason);

const HOLDS: Readonly<Record<Bar, (standing: Standing) => boolean>> = {
  Killed: ({ killed }) => killed,
  Banned: ({ banned }) => banned,
  Quarantined: ({ quarantined }) => quarantined,
  Frozen: ({ frozen }) => frozen,
};

const SENTENCES: Readonly<Record<Bar, string>> = {
  Killed: 'an admin has killed the agent: it gets no pod until an admin lifts the kill',
  Banned: 'an admin has banned the agent: it cannot be awakened until an admin lifts the ban, or it expires',
  Quarantined: 'an admin has quarantined the agent: lift the quarantine to let it run',
  Frozen: 'an admin has frozen the agent: thaw it to let it run',
};

export type StandingFacts = Pick<Facts, 'agent' | 'standing' | 'apiState'>;

/** The standing in force: that of the api's last report, or before the first report that of the written status. */
export function standingOf({ apiState, standing, agent: { metadata, status } }: StandingFacts): Standing {
  const good = goodStanding(metadata.name);
  if (apiState !== 'None') return standing ?? good;
  const entitled = conditionIn(status, 'Entitled');
  const bar = entitled?.status === 'False' ? entitled.reason : undefined;
  return {
    ...good,
    killed: bar === 'Killed',
    banned: bar === 'Banned',
    frozen: bar === 'Frozen',
    quarantined: bar === 'Quarantined' || conditionIn(status, 'Quarantined')?.status === 'True',
    token_revoked: conditionIn(status, 'Connected')?.reason === 'TokenRevoked',
  };
}

export function barOf(facts: StandingFacts): Bar | undefined {
  const standing = standingOf(facts);
  return BARS.find((bar) => HOLDS[bar](standing));
}

export function withReason(facts: StandingFacts, sentence: string): string {
  const { reason } = standingOf(facts);
  return reason === null ? sentence : `${sentence}; the reason of the admin: ${reason}`;
}

export const barMessage = (facts: StandingFacts, bar: Bar): string => withReason(facts, SENTENCES[bar]);
