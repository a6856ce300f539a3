import type { AgentDetail } from '@hamlet/contract'
import { type ReactElement, type ReactNode, useEffect, useState } from 'react'
import type { Row } from '../../client/app-state.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useVillage, useVillageState } from '../village-context.ts'
import { ConditionList } from './condition-list.tsx'
import { FactList } from './fact-list.tsx'
import { LifecycleActions } from './lifecycle-actions.tsx'
import { doing, lifeState } from './state-sentence.ts'
import { TurnList } from './turn-list.tsx'

/** Everything about one agent: what it does, why it runs or not, and what can be done about it. */
export function Inspector({ id }: { readonly id: string }): ReactElement {
  const row = useVillageState((state) => state.rows.find((candidate) => candidate.id === id))
  const detail = useVillageState((state) => state.details.get(id))
  const { village, select } = useVillage()
  useEffect(() => { void village.refreshAgent(id) }, [village, id])
  return (
    <section className="inspector panel" aria-label={row?.name ?? id}>
      <button type="button" className="icon-button panel-close" onClick={() => select(null)} aria-label="Close" title="Close (Esc)"><Icon name="close" /></button>
      {row === undefined ? <p className="empty">There is nobody called “{id}” here.</p> : <Person row={row} detail={detail} />}
    </section>
  )
}

function Person({ row, detail }: { readonly row: Row; readonly detail: AgentDetail | undefined }): ReactElement {
  return (
    <div className="inspector-body">
      <PersonHead row={row} detail={detail} />
      {row.speech !== null && <blockquote className="says">{row.speech}</blockquote>}
      {detail === undefined ? <p className="empty">Asking Kubernetes about {row.name}…</p> : (
        <>
          <LifecycleActions agent={detail} />
          <Section title="Now"><FactList row={row} detail={detail} /></Section>
          <Section title={detail.why.ready ? 'Why it runs' : 'Why it is not running'}><ConditionList detail={detail} /></Section>
          <Section title="Diary"><TurnList id={row.id} /></Section>
          <Section title="Persona" closed><Persona persona={detail.persona} /></Section>
        </>
      )}
    </div>
  )
}

function PersonHead({ row, detail }: { readonly row: Row; readonly detail: AgentDetail | undefined }): ReactElement {
  const following = useVillageState((state) => state.following)
  const { follow, goTo } = useVillage()
  const state = lifeState(row, detail)
  return (
    <header className="person-head">
      <Avatar id={row.id} size={60} dimmed={row.asleep} />
      <div>
        <h2>{row.name}</h2>
        <p className="person-state"><span className={`badge badge-${state.tone}`}><span className={`mark mark-${state.tone}`} aria-hidden="true" />{state.word}</span></p>
        <p className="person-sentence">{row.name} {doing(row)}.</p>
      </div>
      <div className="person-tools">
        <button type="button" className="button button-small" aria-pressed={following} onClick={() => follow(!following)} title="Follow (F)"><Icon name="follow" size={16} />{following ? 'Following' : 'Follow'}</button>
        <button type="button" className="button button-small" onClick={() => goTo(row)}><Icon name="pin" size={16} />Show</button>
      </div>
    </header>
  )
}

function Section({ title, closed = false, children }: { readonly title: string; readonly closed?: boolean; readonly children: ReactNode }): ReactElement {
  const [open, setOpen] = useState(!closed)
  return (
    <section className="section">
      <h3><button type="button" className="section-title" aria-expanded={open} onClick={() => setOpen(!open)}><Icon name="chevron" size={14} />{title}</button></h3>
      {open && children}
    </section>
  )
}

function Persona({ persona }: { readonly persona: AgentDetail['persona'] }): ReactElement {
  const parts = [['Identity', persona.identity], ['Personality', persona.personality], ['Instructions', persona.instructions]] as const
  return <dl className="persona">{parts.filter(([, text]) => text !== '').map(([title, text]) => <div key={title}><dt>{title}</dt><dd>{text}</dd></div>)}</dl>
}
