import { closePost, type Post, reopenPost, resolvePost } from '@hamlet/contract';
import { type Sending, useSend } from '../../../client/ask/use-send.ts';
import { useVillage } from '../../village-context.ts';
import type { Act } from './acts.ts';

const ROUTES = { resolve: resolvePost, close: closePost, reopen: reopenPost } as const;

/** Resolves, closes and reopens a post. */
export function useSettle(post: Post): Pick<Sending, 'busy' | 'refused'> & { send(act: Act): Promise<void> } {
  const { api, board } = useVillage();
  const { busy, refused, send } = useSend();
  return {
    busy,
    refused,
    async send(act) {
      if (act !== 'resolve' && act !== 'close' && act !== 'reopen') return;
      const reply = await send(
        (idempotencyKey) => api.call(ROUTES[act], { params: { post_id: post.post_id }, idempotencyKey }),
        act,
      );
      if (reply?.ok === true) board.learn(reply.data.post);
    },
  };
}
