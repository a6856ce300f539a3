import { deleteForgottenChats, forgetChat, forgetSessionEvents, inTransaction, readChatsToForget } from '@hamlet/store';
import type { Db } from '@hamlet/store';
import { actingAs, recordAct } from '../audit/record-act.ts';

/**
 * Deletes the texts of sessions that ended more than `days` ago: rows stay without texts, and the audit gets a hash of
 * the transcript. 0 keeps all texts. Returns the number of sessions.
 */
export async function forgetSessions(db: Db, days: number): Promise<number> {
  await forgetSessionEvents(db);
  if (days === 0) return 0;
  let forgotten = 0;
  for (const sessionId of await readChatsToForget(db, days)) if (await forget(db, sessionId)) forgotten += 1;
  await deleteForgottenChats(db);
  return forgotten;
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
