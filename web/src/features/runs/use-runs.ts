import { type CallData, listRuns, type Run, type RunState } from '@hamlet/contract'
import { useCallback, useEffect, useMemo, useState } from 'react'
import type { Refused, Reply } from '../../client/api.ts'
import { useLive } from '../../client/use-live.ts'
import { useVillage } from '../village-context.ts'
import { mergeRuns } from './run-words.ts'

const REFRESH_MS = 2000

/** What runs are narrowed to; null is all. */
export interface RunFilter { readonly agent: string | null; readonly schedule: string | null; readonly state: RunState | null; readonly page: number }
export interface RunsLive { readonly runs: readonly Run[] | null; readonly refused: Refused | null; readonly more: (() => Promise<void>) | null; again(): void }

/** A page of runs with the question it answers. */
type Answer = CallData<typeof listRuns> & { readonly query: object }

/** The runs that a filter lets through, newest first, kept up to date; `more` reads older ones, null where there are none. */
export function useRuns({ agent, schedule, state, page }: RunFilter): RunsLive {
  const { api } = useVillage()
  const query = useMemo(() => ({ limit: page, ...(agent === null ? {} : { agent_id: agent }), ...(schedule === null ? {} : { schedule }), ...(state === null ? {} : { state }) }), [agent, schedule, state, page])
  const read = useCallback(async (): Promise<Reply<Answer>> => {
    const reply = await api.call(listRuns, { query })
    return reply.ok ? { ok: true, data: { ...reply.data, query } } : reply
  }, [api, query])
  const live = useLive(read, REFRESH_MS)
  const [older, setOlder] = useState<{ readonly runs: readonly Run[]; readonly cursor: string | null } | null>(null)
  useEffect(() => setOlder(null), [query])
  // The answer to another question is no answer to this one.
  const first = live.data?.query === query ? live.data : null
  const cursor = older === null ? first?.next_cursor ?? null : older.cursor
  const more = async (from: string): Promise<void> => {
    const reply = await api.call(listRuns, { query: { ...query, cursor: from } })
    if (reply.ok) setOlder((known) => ({ runs: [...(known?.runs ?? []), ...reply.data.runs], cursor: reply.data.next_cursor }))
  }
  return { runs: first === null ? null : mergeRuns(first.runs, older?.runs ?? []), refused: live.refused, more: cursor === null ? null : () => more(cursor), again: live.again }
}
