import { type CallInput, createAgent, createSchedule } from '@hamlet/contract';
import { useState } from 'react';
import { type Intent, useIntent } from '../../client/query/use-live.ts';
import { useVillage } from '../village-context.ts';

type AgentBody = NonNullable<CallInput<typeof createAgent>['body']>;
type WorkBody = NonNullable<CallInput<typeof createSchedule>['body']>;

/** The creation of an agent and, after it, of its schedule. */
interface Creating {
  readonly sending: Pick<Intent, 'busy' | 'refused'>;
  /** The name of the agent that exists, even while its schedule is refused: the next attempt makes only the schedule. */
  readonly made: string | null;
  changed(): void;
  /** Resolves to true once everything exists. */
  create(agent: AgentBody, work: WorkBody | null): Promise<boolean>;
}

export function useCreating(): Creating {
  const { agents } = useVillage();
  const sending = useIntent();
  const [made, setMade] = useState<string | null>(null);
  return {
    sending,
    made,
    changed: sending.changed,
    create: async (agent, work) => {
      if (made !== agent.agent_id) {
        if ((await sending.call(createAgent, { body: agent }, 'agent')) === null) return false;
        setMade(agent.agent_id);
        void agents.refresh(agent.agent_id);
      }
      return work === null || (await sending.call(createSchedule, { body: work }, 'schedule')) !== null;
    },
  };
}
