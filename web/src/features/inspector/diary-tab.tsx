import type { AgentDetail } from '@hamlet/contract'
import type { ReactElement } from 'react'
import { Section } from './now-tab.tsx'
import { TurnList } from './turn-list.tsx'

/** What the agent has thought and done of itself, and who it is told to be. */
export function DiaryTab({ agent }: { readonly agent: AgentDetail }): ReactElement {
  return (
    <>
      <Section title="Diary"><TurnList id={agent.agent_id} /></Section>
      <Section title="Persona" closed><Persona persona={agent.persona} /></Section>
    </>
  )
}

function Persona({ persona }: { readonly persona: AgentDetail['persona'] }): ReactElement {
  const parts = [['Identity', persona.identity], ['Personality', persona.personality], ['Instructions', persona.instructions]] as const
  return <dl className="persona">{parts.filter(([, text]) => text !== '').map(([title, text]) => <div key={title}><dt>{title}</dt><dd>{text}</dd></div>)}</dl>
}
