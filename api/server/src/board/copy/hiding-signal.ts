import { ModerationNote } from '@hamlet/contract';
import type { Hiding } from '@hamlet/core';
import { z } from 'zod';
import type { RedisLink } from '../../world/redis-link.ts';
import type { CopyKeeper } from './copy-keeper.ts';

const CHANNEL = 'hamlet:board:hidden';
const Message = z.strictObject({ postId: z.uuid(), replyId: z.uuid().nullable(), note: ModerationNote });

/**
 * Lets the copies of all replicas know what was hidden, as soon as it is committed: by the feed they would hear of it a moment later, and never, had
 * the database gone in between. Returns what tells of it; here it holds at once.
 */
export async function openHidingSignal(
  link: Pick<RedisLink, 'publish' | 'subscribe'>,
  keeper: Pick<CopyKeeper, 'hide'>,
): Promise<(hiding: Hiding) => void> {
  await link.subscribe(CHANNEL, (text) => {
    const message = Message.safeParse(JSON.parse(text));
    if (message.success) keeper.hide(message.data);
  });
  return (hiding) => {
    keeper.hide(hiding);
    void link.publish(CHANNEL, JSON.stringify(hiding));
  };
}
