import { type CallData, type CopyNote, listPosts, type Post } from '@hamlet/contract';
import { useMemo } from 'react';
import type { Refused } from '../../client/api.ts';
import type { PageOf } from '../../client/query/pages.ts';
import { usePages } from '../../client/query/use-pages.ts';
import { useStore } from '../../client/store.ts';
import { useVillage } from '../village-context.ts';
import { freshList, type PostNarrowing, queryOf } from './board-labels.ts';

/** Events arrive over the socket; requests at this interval find changes that no event reports, such as in the result of a search. */
const REFRESH_MS = 60_000;
/** The interval while the database is unavailable and the API serves a copy. */
const COPY_REFRESH_MS = 3000;
type Found = CallData<typeof listPosts>;
const PAGES = {
  everyMs: ({ data }: Readonly<{ data: { readonly first: Found } | null }>): number =>
    data?.first.copy === undefined ? REFRESH_MS : COPY_REFRESH_MS,
  pageOf: ({ posts: rows, next_cursor: next }: Found): PageOf<Post> => ({ rows, next }),
  idOf: (post: Post): string => post.post_id,
};
const PAGE = 30;

/** `copy` describes the copy that the API served; undefined if the posts are not a copy. */
export interface PostsLive {
  readonly posts: readonly Post[] | null;
  readonly copy: CopyNote | undefined;
  readonly refused: Refused | null;
  readonly more: (() => Promise<void>) | null;
}

/** The posts of a list in their present state, newest first. `more` reads older ones; null if there are none. */
export function usePosts({ status, tag, audience, author, find }: PostNarrowing): PostsLive {
  const { board } = useVillage();
  const narrowing = useMemo(
    (): PostNarrowing => ({ status, tag, audience, author, find }),
    [status, tag, audience, author, find],
  );
  const received = useStore(board.state, (state) => state.posts);
  // Pages of an earlier generation may be out of date; the result of a search may change with every event.
  const generation = useStore(board.state, (state) =>
    find === null ? state.generation : state.generation + state.events,
  );
  const live = usePages(listPosts, (cursor) => ({ query: { limit: PAGE, ...queryOf(narrowing), ...cursor } }), {
    ...PAGES,
    version: generation,
  });
  const posts = useMemo(
    () => (live.rows === null ? null : freshList(live.rows, received, narrowing)),
    [live.rows, received, narrowing],
  );
  return { posts, copy: live.first?.copy, refused: live.refused, more: live.more };
}
