import { deleteForgottenChats, forgetChat, forgetSessionEvents, inTransaction, readChatsToForget } from '@hamlet/store';
import type { Db } from '@hamlet/store';
import { actingAs, recordAct } from '../audit/record-act.ts';
import { itemByItem } from '../service/item-by-item.ts';
import type { Log } from '../service/log.ts';

/**
 * Returns a function that deletes the texts of sessions that ended more than `daysNow` days ago: rows stay without texts, and the audit gets a
 * hash of the transcript. 0 keeps all texts.
 */
export function forgetSessions(
  { db, log }: { readonly db: Db; readonly log: Log },
  daysNow: () => number,
): () => Promise<void> {
  const each = itemByItem<string>({
    log,
    message: 'a session was not forgotten; the API retries it',
    keyOf: (sessionId) => sessionId,
  });
  return async () => {
    await forgetSessionEvents(db);
    const days = daysNow();
    if (days === 0) return;
    await each(await readChatsToForget(db, days), (sessionId) => forget(db, sessionId));
    await deleteForgottenChats(db);
  };
}

function forget(db: Db, sessionId: string): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const chat = await forgetChat(tx, sessionId);
    if (chat === null) return false;
    const { agentId: agent_id, messages, transcriptHash: transcript_sha256 } = chat;
    const detail = { agent_id, messages, transcript_sha256 };
    await recordAct(tx, actingAs('system', 'retention'), { action: 'session.forget', object: sessionId, detail });
    return true;
  });
}
