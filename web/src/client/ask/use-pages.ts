import { useCallback, useEffect, useMemo, useState } from 'react'
import type { Refused, Reply } from '../api.ts'
import { useLive } from './use-live.ts'

/** A page of a list, and where the next one begins; null at the end. */
export interface PageOf<T> { readonly rows: readonly T[]; readonly next: string | null }
/** A list as far as it was read; `more` reads on, null where there is no more. */
export interface Pages<T> { readonly rows: readonly T[] | null; readonly refused: Refused | null; readonly more: (() => Promise<void>) | null; again(): void }

interface PagesOptions<T> { readonly everyMs: number; idOf(row: T): string }

/**
 * A list in pages, whose first page is asked for again and again. Rows that move from the first page to the second stay, each once.
 * @param read must be the same function while the question is the same; null asks nothing. What answered another question is not shown for this one.
 * @param options must be the same object throughout
 */
export function usePages<T>(read: ((cursor: string | null) => Promise<Reply<PageOf<T>>>) | null, options: PagesOptions<T>): Pages<T> {
  const readFirst = useCallback(async (): Promise<Reply<PageOf<T> & { readonly of: unknown }>> => {
    const reply = read === null ? null : await read(null)
    if (reply === null) throw new Error('nothing was asked')
    return reply.ok ? { ok: true, data: { ...reply.data, of: read } } : reply
  }, [read])
  const live = useLive(read === null ? null : readFirst, options.everyMs)
  const [older, setOlder] = useState<PageOf<T> | null>(null)
  useEffect(() => setOlder(null), [read])
  const first = live.data?.of === read ? live.data : null
  const next = older === null ? first?.next ?? null : older.next
  const more = async (from: string): Promise<void> => {
    const reply = read === null ? null : await read(from)
    if (reply?.ok === true) setOlder((known) => ({ rows: [...(known?.rows ?? []), ...reply.data.rows], next: reply.data.next }))
  }
  const rows = useMemo(() => (first === null ? null : joined(first.rows, older?.rows ?? [], options.idOf)), [first, older, options])
  return { rows, refused: live.refused, more: next === null ? null : () => more(next), again: live.again }
}

/** Both lists as one; of a row that is in both the first one's is the newer. */
export function joined<T>(first: readonly T[], rest: readonly T[], idOf: (row: T) => string): T[] {
  const known = new Set(first.map(idOf))
  return [...first, ...rest.filter((row) => !known.has(idOf(row)))]
}
