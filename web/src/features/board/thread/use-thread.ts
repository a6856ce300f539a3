import { type CallData, type CopyNote, getPost, type Post, type Reply } from '@hamlet/contract';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Refused } from '../../../client/api.ts';
import { useStore } from '../../../client/store.ts';
import { type Live, useLive } from '../../../client/ask/use-live.ts';
import { useVillage } from '../../village-context.ts';
import { freshReplies } from '../board-words.ts';

/** What happens comes over the socket; this is for what it missed. */
const REFRESH_MS = 60_000;
/** While the database is away: whether it is back is asked soon again. */
const AWAY_REFRESH_MS = 3000;
const PAGE = 100;

/** A post with its replies as they are now. `post` is null while it is read, or where it cannot be seen; then `gone` or `refused` say so; `copy` is there while what is read is one. */
export interface ThreadLive {
  readonly post: Post | null;
  readonly replies: readonly Reply[];
  readonly refused: Refused | null;
  readonly gone: boolean;
  readonly copy: CopyNote | undefined;
  readonly more: (() => Promise<void>) | null;
}

export function useThread(id: string): ThreadLive {
  const { api, board } = useVillage();
  const generation = useStore(board.state, (state) => state.generation);
  const heard = useStore(board.state, (state) => state.posts.get(id));
  const heardReplies = useStore(board.state, (state) => state.replies.get(id));
  const live = useFirstPage(id, generation);
  const [later, setLater] = useState<{ readonly replies: readonly Reply[]; readonly cursor: string | null } | null>(
    null,
  );
  useEffect(() => setLater(null), [generation]);
  const cursor = later === null ? (live.data?.next_cursor ?? null) : later.cursor;
  const more = async (from: string): Promise<void> => {
    const reply = await api.call(getPost, { params: { post_id: id }, query: { limit: PAGE, cursor: from } });
    if (reply.ok)
      setLater((known) => ({
        replies: [...(known?.replies ?? []), ...reply.data.replies],
        cursor: reply.data.next_cursor,
      }));
  };
  const replies = useMemo(
    () => freshReplies([...(live.data?.replies ?? []), ...(later?.replies ?? [])], heardReplies),
    [live.data, later, heardReplies],
  );
  return {
    post: heard ?? live.data?.post ?? null,
    replies,
    refused: live.refused,
    gone: heard === null,
    copy: live.data?.copy,
    more: cursor === null ? null : () => more(cursor),
  };
}

/** The post with its first replies; asked for sooner again while the database is away. */
function useFirstPage(id: string, generation: number): Live<CallData<typeof getPost>> {
  const { api } = useVillage();
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const read = useCallback(
    () => api.call(getPost, { params: { post_id: id }, query: { limit: PAGE } }),
    [api, id, generation],
  );
  const [away, setAway] = useState(false);
  const live = useLive(read, away ? AWAY_REFRESH_MS : REFRESH_MS);
  const isAway = live.data?.copy !== undefined || live.refused?.status === 503;
  useEffect(() => setAway(isAway), [isAway]);
  return live;
}
