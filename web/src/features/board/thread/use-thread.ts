import { getPost, type Post, type Reply } from '@hamlet/contract'
import { useCallback, useEffect, useMemo, useState } from 'react'
import type { Refused } from '../../../client/api.ts'
import { useStore } from '../../../client/store.ts'
import { useLive } from '../../../client/ask/use-live.ts'
import { useVillage } from '../../village-context.ts'
import { freshReplies } from '../board-words.ts'

/** What happens comes over the socket; this is for what it missed. */
const REFRESH_MS = 60_000
const PAGE = 100

/** A post with its replies as they are now. `post` is null while it is read, or where it cannot be seen; then `gone` or `refused` say so. */
export interface ThreadLive {
  readonly post: Post | null; readonly replies: readonly Reply[]; readonly refused: Refused | null; readonly gone: boolean
  readonly more: (() => Promise<void>) | null
}

export function useThread(id: string): ThreadLive {
  const { api, board } = useVillage()
  const generation = useStore(board.state, (state) => state.generation)
  const heard = useStore(board.state, (state) => state.posts.get(id))
  const heardReplies = useStore(board.state, (state) => state.replies.get(id))
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const read = useCallback(() => api.call(getPost, { params: { post_id: id }, query: { limit: PAGE } }), [api, id, generation])
  const live = useLive(read, REFRESH_MS)
  const [later, setLater] = useState<{ readonly replies: readonly Reply[]; readonly cursor: string | null } | null>(null)
  useEffect(() => setLater(null), [generation])
  const cursor = later === null ? live.data?.next_cursor ?? null : later.cursor
  const more = async (from: string): Promise<void> => {
    const reply = await api.call(getPost, { params: { post_id: id }, query: { limit: PAGE, cursor: from } })
    if (reply.ok) setLater((known) => ({ replies: [...(known?.replies ?? []), ...reply.data.replies], cursor: reply.data.next_cursor }))
  }
  const replies = useMemo(() => freshReplies([...(live.data?.replies ?? []), ...(later?.replies ?? [])], heardReplies), [live.data, later, heardReplies])
  return { post: heard ?? live.data?.post ?? null, replies, refused: live.refused, gone: heard === null, more: cursor === null ? null : () => more(cursor) }
}
