import { newIdempotencyKey } from '@hamlet/contract'
import { useCallback, useRef, useState } from 'react'
import type { Refused, Reply } from '../api.ts'

/** Sending one intent at a time, with what came of the last one. */
export interface Sending {
  readonly busy: boolean; readonly refused: Refused | null
  /** Sends with a key that stays the same until it is taken or `changed`: sent again after a lost answer it acts once. Null where one is under way. */
  send<T>(call: (idempotencyKey: string) => Promise<Reply<T>>): Promise<Reply<T> | null>
  /** What is sent next is another intent. */
  changed(): void
}

export function useSend(): Sending {
  const [state, setState] = useState<{ readonly busy: boolean; readonly refused: Refused | null }>({ busy: false, refused: null })
  const busy = useRef(false)
  const key = useRef(newIdempotencyKey())
  const send = useCallback(async <T>(call: (idempotencyKey: string) => Promise<Reply<T>>): Promise<Reply<T> | null> => {
    if (busy.current) return null
    busy.current = true
    setState({ busy: true, refused: null })
    const reply = await call(key.current)
    busy.current = false
    setState({ busy: false, refused: reply.ok ? null : reply.refused })
    if (reply.ok) key.current = newIdempotencyKey()
    return reply
  }, [])
  const changed = useCallback((): void => {
    key.current = newIdempotencyKey()
    setState((now) => (now.refused === null ? now : { ...now, refused: null }))
  }, [])
  return { ...state, send, changed }
}
