import { type AgentDetail, getAgent } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { useLive } from '../../../client/query/use-live.ts';
import { Unread } from '../../../ui/notices/refused-notice.tsx';
import { Section } from '../now-tab.tsx';
import { PurposeList } from './purpose-list.tsx';
import { TurnList } from './turn-list.tsx';

/** The interval for the persona is long: the persona changes only when a person edits the custom resource. */
const PERSONA_MS = 30_000;

/** The agent's acts by purpose, its diary and its persona. */
export function DiaryTab({ agent }: { readonly agent: AgentDetail }): ReactElement {
  return (
    <>
      <Section title="Purposes">
        <PurposeList id={agent.agent_id} />
      </Section>
      <Section title="Diary">
        <TurnList id={agent.agent_id} />
      </Section>
      <Section title="Persona" closed>
        <Persona id={agent.agent_id} />
      </Section>
    </>
  );
}

/** Requests the persona separately, because the list of agents leaves it out. */
function Persona({ id }: { readonly id: string }): ReactElement {
  const { data, refused } = useLive(getAgent, { params: { agent_id: id } }, PERSONA_MS);
  const persona = data?.persona ?? null;
  if (persona === null) return <Unread refused={refused} />;
  const parts = (
    [
      ['Identity', persona.identity],
      ['Personality', persona.personality],
      ['Instructions', persona.instructions],
    ] as const
  ).filter(([, text]) => text !== '');
  if (parts.length === 0) return <p className="empty">Its custom resource gives it no persona.</p>;
  return (
    <dl className="persona">
      {parts.map(([title, text]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
