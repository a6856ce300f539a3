import { type ReactElement, useMemo, useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { useVillageState } from '../village-context.ts'
import { HappeningList } from './happening-list.tsx'
import { PersonRow } from './person-row.tsx'
import type { Row } from '../../client/app-state.ts'

/** Rows shown at once; a longer list is narrowed by the filter. */
const MAX_ROWS = 200

/** Everybody, in text: the map's twin for keyboards and screen readers. */
export function PeoplePanel(): ReactElement {
  const rows = useVillageState((state) => state.rows)
  const [filter, setFilter] = useState('')
  const [open, setOpen] = useState(false)
  const found = useMemo(() => rows.filter((row) => matches(row, filter)), [rows, filter])
  return (
    <aside className={`people panel${open ? ' people-open' : ''}`} aria-label="People">
      <header className="panel-head">
        <h2>People <span className="count">{rows.length}</span></h2>
        <button type="button" className="icon-button phone-only" onClick={() => setOpen(!open)} aria-expanded={open} aria-label={open ? 'Show less' : 'Show everybody'}>
          <Icon name={open ? 'close' : 'menu'} />
        </button>
      </header>
      <label className="filter">
        <Icon name="search" size={16} />
        <input id="people-filter" type="search" data-search placeholder="Find somebody or a place" value={filter} onChange={(event) => setFilter(event.target.value)} aria-label="Filter people" />
        <kbd aria-hidden="true">/</kbd>
      </label>
      {rows.length === 0 && <EmptyVillage />}
      {rows.length > 0 && found.length === 0 && <p className="empty">Nobody matches “{filter}”.</p>}
      <ul className="people-list" onKeyDown={moveFocus}>
        {found.slice(0, MAX_ROWS).map((row) => <PersonRow key={row.id} row={row} />)}
      </ul>
      {found.length > MAX_ROWS && <p className="empty">{found.length - MAX_ROWS} more: narrow the list above.</p>}
      <HappeningList />
    </aside>
  )
}

function EmptyVillage(): ReactElement {
  return (
    <div className="empty">
      <p><b>Nobody lives here yet.</b></p>
      <p>Bring somebody to life:</p>
      <pre>kubectl apply -f ada.yaml</pre>
    </div>
  )
}

function matches(row: Row, filter: string): boolean {
  const wanted = filter.trim().toLowerCase()
  return wanted === '' || [row.name, row.id, row.place ?? '', row.heading ?? '', row.node ?? '', row.activity].some((text) => text.toLowerCase().includes(wanted))
}

/** Up and down walk through the list. */
function moveFocus(event: React.KeyboardEvent<HTMLUListElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  event.preventDefault()
  const buttons = [...event.currentTarget.querySelectorAll<HTMLButtonElement>('.person')]
  const at = buttons.findIndex((button) => button === document.activeElement)
  buttons[Math.min(buttons.length - 1, Math.max(0, at + step))]?.focus()
}
