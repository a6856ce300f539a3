import { forgetModelText, forgetModelTextsOf, inTransaction, readModelText } from '@hamlet/store';
import { recordAct } from '../../audit/record-act.ts';
import { plain, type Handlers } from '../../http/handler.ts';
import { accepted, refused } from '../../http/outcome.ts';
import type { Village } from '../../village.ts';

const NONE =
  'The text of this request is not available: the village keeps none, it has expired, or an admin deleted it';

export function textHandlers({ db }: Village) {
  return {
    getModelText: plain(async (request) => {
      const { request_id: requestId } = request.params;
      const row = await readModelText(db, requestId);
      if (row === null) return refused('no_such_model_text', NONE);
      const { agentId, runId, keptAt, expiresAt, prompt, answer } = row;
      await recordAct(db, request, { action: 'models.text_read', object: requestId, detail: { agent_id: agentId } });
      return accepted({
        text: {
          request_id: requestId,
          agent_id: agentId,
          run_id: runId,
          kept_at: keptAt.toISOString(),
          expires_at: expiresAt.toISOString(),
          prompt,
          answer,
        },
      });
    }),
    forgetModelText: plain(async (request) => {
      const { request_id: requestId } = request.params;
      return inTransaction(db, async (tx) => {
        if (!(await forgetModelText(tx, requestId))) return refused('no_such_model_text', NONE);
        await recordAct(tx, request, { action: 'models.text_forget', object: requestId, detail: {} });
        return accepted({ forgotten: 1 });
      });
    }),
    forgetModelTexts: plain(async (request) => {
      const { agent_id: agentId } = request.params;
      return inTransaction(db, async (tx) => {
        const forgotten = await forgetModelTextsOf(tx, agentId);
        if (forgotten > 0)
          await recordAct(tx, request, { action: 'models.text_forget', object: agentId, detail: { forgotten } });
        return accepted({ forgotten });
      });
    }),
  } satisfies Partial<Handlers>;
}
