import { readAs, readNewsBetween, VILLAGE } from '@hamlet/store';
import type { Db } from '@hamlet/store';
import type { WakeHub } from '../../agents/wake-hub.ts';
import type { Log } from '../../service/log.ts';
import type { BoardRelay } from './board-relay.ts';

/** Tells the agents whose streams this replica holds that something on the board concerns them. Nothing is kept: an agent that was away asks for its news. */
export function startBoardCourier({
  db,
  relay,
  hub,
  log,
}: {
  readonly db: Db;
  readonly relay: BoardRelay;
  readonly hub: Pick<WakeHub, 'streams' | 'hintBoard'>;
  readonly log: Log;
}): void {
  let told = relay.head;
  let telling = false;

  async function tell(): Promise<void> {
    while (told < relay.head) {
      const upTo = relay.head;
      const agentIds = [...new Set(hub.streams().map(({ agentId }) => agentId))];
      const news =
        agentIds.length === 0
          ? []
          : await readAs(db, VILLAGE, (tx) => readNewsBetween(tx, agentIds, { after: told, upTo }));
      for (const { agentId, postId, replyId, why } of news)
        hub.hintBoard(agentId, { post_id: postId, reply_id: replyId, why });
      told = upTo;
    }
  }

  relay.onHead(() => {
    if (telling) return;
    telling = true;
    tell()
      .catch((error: unknown) => log('warn', 'agents are told of the board later', { error }))
      .finally(() => {
        telling = false;
      });
  });
}
