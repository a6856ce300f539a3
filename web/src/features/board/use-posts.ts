import { type CopyNote, listPosts, type Post } from '@hamlet/contract';
import { useCallback, useMemo, useState } from 'react';
import type { Refused, Reply } from '../../client/api.ts';
import type { PageOf } from '../../client/ask/pages-state.ts';
import { usePages } from '../../client/ask/use-pages.ts';
import { useStore } from '../../client/store.ts';
import { useVillage } from '../village-context.ts';
import { freshList, type PostNarrowing, queryOf } from './board-words.ts';

/** The socket tells what happens; asking again now and then is for what it cannot, such as a search. */
const PAGES = { everyMs: 60_000, idOf: (post: Post): string => post.post_id };
/** A copy is read while the database is away: whether it is back is asked soon again. */
const COPY_PAGES = { ...PAGES, everyMs: 3000 };
const PAGE = 30;

/** `copy` is there while what is read is one. */
export interface PostsLive {
  readonly posts: readonly Post[] | null;
  readonly copy: CopyNote | undefined;
  readonly refused: Refused | null;
  readonly more: (() => Promise<void>) | null;
}

/** The posts of a list, newest first, as they are now; `more` reads older ones, null where there are none. */
export function usePosts({ status, tag, audience, author, find }: PostNarrowing): PostsLive {
  const { api, board } = useVillage();
  const narrowing = useMemo(
    (): PostNarrowing => ({ status, tag, audience, author, find }),
    [status, tag, audience, author, find],
  );
  const heard = useStore(board.state, (state) => state.posts);
  // What was read in another generation may be out of date; what a search finds may change with every event.
  const generation = useStore(board.state, (state) =>
    find === null ? state.generation : state.generation + state.events,
  );
  const [copy, setCopy] = useState<CopyNote | undefined>(undefined);
  const read = useCallback(
    async (cursor: string | null, signal?: AbortSignal): Promise<Reply<PageOf<Post>>> => {
      const reply = await api.call(listPosts, {
        ...(signal === undefined ? {} : { signal }),
        query: { limit: PAGE, ...queryOf(narrowing), ...(cursor === null ? {} : { cursor }) },
      });
      if (reply.ok && cursor === null) setCopy(reply.data.copy);
      return reply.ok ? { ok: true, data: { rows: reply.data.posts, next: reply.data.next_cursor } } : reply;
    },
    [api, narrowing],
  );
  const live = usePages(read, {
    ...(copy === undefined ? PAGES : COPY_PAGES),
    question: JSON.stringify(narrowing),
    version: generation,
  });
  const posts = useMemo(
    () => (live.rows === null ? null : freshList(live.rows, heard, narrowing)),
    [live.rows, heard, narrowing],
  );
  return { posts, copy, refused: live.refused, more: live.more };
}
