import { RUN_STATES } from '@hamlet/contract'
import type { ReactElement } from 'react'
import { Choices } from '../../ui/choices.tsx'
import { useAgentNames } from '../people/use-agent-names.ts'
import { useVillage, useVillageState } from '../village-context.ts'
import { Page } from '../navigation/page.tsx'
import { RunList } from './run-list.tsx'
import { STATE_WORDS } from './run-words.ts'
import { useRuns } from './use-runs.ts'

const PAGE = 50

/** The work of all agents, narrowed by state, agent and schedule; what it is narrowed to is in the address. */
export function RunsPage(): ReactElement {
  return (
    <Page title="Runs" intro="Work that agents were given, by people and by the clock." needs="runs:read">
      <Filters />
      <Found />
    </Page>
  )
}

function Filters(): ReactElement {
  const { open } = useVillage()
  const place = useVillageState((state) => state.place)
  const agents = useAgentNames()
  const narrowed = place.who !== null || place.schedule !== null || place.state !== null
  return (
    <div className="filters" role="group" aria-label="Narrow the runs">
      <Choices label="State" keys={[null, ...RUN_STATES]} chosen={place.state} wordOf={(state) => (state === null ? 'All' : STATE_WORDS[state].word)} onChoose={(state) => open({ state, run: null })} />
      <label className="pick">Agent<select value={place.who ?? ''} onChange={(event) => open({ who: event.target.value === '' ? null : event.target.value, run: null })}><option value="">Everybody</option>{place.who !== null && !agents.some(({ id }) => id === place.who) && <option value={place.who}>{place.who}</option>}{agents.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}</select></label>
      {place.schedule !== null && <span className="chip">Schedule <b>{place.schedule}</b><button type="button" className="icon-button icon-button-small" onClick={() => open({ schedule: null })} aria-label="Runs of every schedule"><span aria-hidden="true">×</span></button></span>}
      {narrowed && <button type="button" className="link" onClick={() => open({ who: null, state: null, schedule: null, run: null })}>Show all</button>}
    </div>
  )
}

function Found(): ReactElement {
  const { open } = useVillage()
  const { who, schedule, state, run } = useVillageState((all) => all.place)
  const live = useRuns({ agent: who, schedule, state, page: PAGE })
  const empty = who === null && schedule === null && state === null ? <><b>No runs yet.</b> Choose an agent and tell it what to do, or make a schedule.</> : 'No run is like that.'
  return <div className="card"><RunList live={live} opened={run} onOpen={(id) => open({ run: id })} withAgent empty={empty} /></div>
}
