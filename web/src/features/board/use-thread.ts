import { type CallData, type CopyNote, getPost, type Post, type Reply } from '@hamlet/contract';
import { useMemo } from 'react';
import type { Refused } from '../../client/api.ts';
import type { PageOf } from '../../client/query/pages.ts';
import { usePages } from '../../client/query/use-pages.ts';
import { useStore } from '../../client/store.ts';
import { useVillage } from '../village-context.ts';
import { freshReplies } from './board-labels.ts';

/** Events arrive over the socket; requests at this interval find missed ones. */
const REFRESH_MS = 60_000;
/** The interval while the database is unavailable. */
const AWAY_REFRESH_MS = 3000;
const PAGE = 100;
type Found = CallData<typeof getPost>;
const PAGES = {
  everyMs: ({ data, refused }: { data: { readonly first: Found } | null; refused: Refused | null }): number =>
    data?.first.copy !== undefined || refused?.status === 503 ? AWAY_REFRESH_MS : REFRESH_MS,
  pageOf: ({ replies: rows, next_cursor: next }: Found): PageOf<Reply> => ({ rows, next }),
  idOf: (reply: Reply): string => reply.reply_id,
};

/** A post with its replies. Without a post, `gone` or `refused` says why. `copy` is set while the API serves a copy. */
export interface ThreadLive {
  readonly post: Post | null;
  readonly replies: readonly Reply[];
  readonly refused: Refused | null;
  readonly gone: boolean;
  readonly copy: CopyNote | undefined;
  readonly more: (() => Promise<void>) | null;
}

export function useThread(id: string): ThreadLive {
  const { board } = useVillage();
  const generation = useStore(board.state, (state) => state.generation);
  const known = useStore(board.state, (state) => state.posts.get(id));
  const knownReplies = useStore(board.state, (state) => state.replies.get(id));
  const { rows, first, refused, more } = usePages(
    getPost,
    (cursor) => ({ params: { post_id: id }, query: { limit: PAGE, ...cursor } }),
    { ...PAGES, epoch: generation },
  );
  const replies = useMemo(() => freshReplies(rows ?? [], knownReplies), [rows, knownReplies]);
  return { post: known ?? first?.post ?? null, replies, refused, gone: known === null, copy: first?.copy, more };
}
