import { memo, type ReactElement } from 'react'
import type { Row } from '../../client/app-state.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Icon } from '../../ui/icon.tsx'
import { doing, lifeState } from '../inspector/state-sentence.ts'
import { useVillage, useVillageState } from '../village-context.ts'

/** One person: who, in what state, doing what. */
export const PersonRow = memo(function PersonRow({ row }: { readonly row: Row }): ReactElement {
  const tools = useVillage()
  const selected = useVillageState((state) => state.selected === row.id)
  const detail = useVillageState((state) => state.details.get(row.id))
  const state = lifeState(row, detail)
  const choose = (): void => { tools.select(row.id); tools.goTo(row) }
  return (
    <li>
      <button
        type="button" className="person" aria-current={selected} onClick={choose} onDoubleClick={() => tools.follow(true)}
        data-agent-id={row.id} data-x={row.x.toFixed(2)} data-y={row.y.toFixed(2)} data-node={row.node ?? ''} data-state={state.word}
      >
        <Avatar id={row.id} dimmed={row.asleep || !row.online} />
        <span className="person-text">
          <span className="person-name">{row.name}{row.speech !== null && <span className="person-speaks" title={row.speech}><Icon name="speech" size={13} /></span>}</span>
          <span className="person-doing">{doing(row)}</span>
        </span>
        <span className={`mark mark-${state.tone}`} title={state.word}><span className="sr-only">{state.word}</span></span>
      </button>
    </li>
  )
})
