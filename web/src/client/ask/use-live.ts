import { useEffect, useState } from 'react'
import type { Refused, Reply } from '../api.ts'

/** An answer that is asked for again and again. After a failure the last good one stays, beside the refusal. */
export interface Live<T> { readonly data: T | null; readonly refused: Refused | null; again(): void }

/** How often a page that nobody looks at checks whether somebody does. */
const HIDDEN_MS = 1000

/**
 * Asks now, and again `everyMs` after each answer while the component lives and the page is seen.
 * @param read must be the same function while the question is the same; null asks nothing
 */
export function useLive<T>(read: (() => Promise<Reply<T>>) | null, everyMs: number): Live<T> {
  const [answer, setAnswer] = useState<{ readonly data: T | null; readonly refused: Refused | null }>({ data: null, refused: null })
  const [asked, setAsked] = useState(0)
  useEffect(() => {
    if (read === null) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let here = true
    const ask = async (): Promise<void> => {
      if (document.hidden) { timer = setTimeout(() => void ask(), HIDDEN_MS); return }
      const reply = await read()
      if (!here) return
      setAnswer((last) => (reply.ok ? { data: reply.data, refused: null } : { data: last.data, refused: reply.refused }))
      timer = setTimeout(() => void ask(), everyMs)
    }
    void ask()
    return () => { here = false; clearTimeout(timer) }
  }, [read, everyMs, asked])
  return { ...answer, again: () => setAsked((count) => count + 1) }
}
