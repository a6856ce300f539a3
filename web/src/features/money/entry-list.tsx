import { getLedger, type LedgerEntry, roleMay } from '@hamlet/contract'
import { type ReactElement, useCallback, useEffect, useState } from 'react'
import { useLive } from '../../client/ask/use-live.ts'
import { RefusedNotice } from '../../ui/refused-notice.tsx'
import { timeAgo } from '../../ui/time-words.ts'
import { Proof, VerifyButton } from '../proof/verify-record.tsx'
import { useRole, useViewerId, useVillage } from '../village-context.ts'
import { changeWords, entryWords, moneyWords } from './money-words.ts'

const REFRESH_MS = 8000
const PAGE = 20

/** The entries of an agent's account, newest first. `version` changes whenever the account does. */
export function EntryList({ id, version }: { readonly id: string; readonly version: string }): ReactElement | null {
  const { api } = useVillage()
  const may = roleMay(useRole(), 'ledger:read')
  const read = useCallback((cursor?: string) => api.call(getLedger, { params: { agent_id: id }, query: { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) } }), [api, id])
  const readFirst = useCallback(() => read(), [read, version])
  const live = useLive(may ? readFirst : null, REFRESH_MS)
  const [older, setOlder] = useState<{ readonly entries: readonly LedgerEntry[]; readonly cursor: string | null } | null>(null)
  useEffect(() => setOlder(null), [version])
  if (!may) return null
  if (live.data === null) return live.refused === null ? <p className="empty">Reading…</p> : <RefusedNotice refused={live.refused} />
  const cursor = older === null ? live.data.next_cursor : older.cursor
  const more = async (): Promise<void> => {
    const reply = cursor === null ? null : await read(cursor)
    if (reply?.ok === true) setOlder({ entries: [...(older?.entries ?? []), ...reply.data.entries], cursor: reply.data.next_cursor })
  }
  const entries = [...live.data.entries, ...(older?.entries ?? [])]
  return (
    <section className="section" aria-label="Entries">
      <h3 className="section-name">Entries</h3>
      {entries.length === 0 && <p className="empty">Nothing has been paid yet.</p>}
      <ol className="entries">{entries.map((entry) => <Entry key={entry.ledger_entry_id} entry={entry} />)}</ol>
      {cursor !== null && <button type="button" className="button button-small" onClick={() => void more()}>Older entries</button>}
    </section>
  )
}

function Entry({ entry }: { readonly entry: LedgerEntry }): ReactElement {
  const viewer = useViewerId()
  const [proving, setProving] = useState(false)
  return (
    <li className="entry" data-entry={entry.ledger_entry_id}>
      <b className={entry.amount.startsWith('-') ? 'entry-taken' : 'entry-given'}>{changeWords(entry.amount)}</b>
      <span className="entry-text">{entryWords(entry, viewer)}{entry.note !== '' && <small>{entry.note}</small>} <VerifyButton open={proving} onOpen={setProving} /></span>
      <time dateTime={entry.timestamp} title={`${entry.timestamp}; balance after it ${moneyWords(entry.balance_after)}`}>{timeAgo(entry.timestamp, Date.now())}</time>
      {proving && <Proof shown={{ kind: 'entry', entry }} />}
    </li>
  )
}
