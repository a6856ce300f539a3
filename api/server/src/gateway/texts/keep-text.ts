import { inTransaction, keepModelText, type Db } from '@hamlet/store';
import { actingAs, recordAct } from '../../audit/record-act.ts';
import type { Log } from '../../service/log.ts';
import type { CallSeal } from './call-seal.ts';

/** The database refuses longer ones. */
const TEXT_BYTES_MAX = 8_388_608;

interface TextPorts {
  readonly db: Db;
  /** Days to keep prompts and answers; 0 keeps none. */
  readonly textDays: number;
  readonly log: Log;
}

interface EndedRequest {
  readonly requestId: string;
  readonly agentId: string;
  readonly runId: string | null;
  readonly model: string;
  readonly seal: CallSeal;
}

/** Stores prompt and answer if the village keeps texts. A failure is logged and does not fail the request. */
export async function keepText({ db, textDays: days, log }: TextPorts, ended: EndedRequest): Promise<void> {
  if (days === 0) return;
  const { requestId, agentId, runId, model, seal } = ended;
  const { prompt, answer, salt } = seal;
  if (Buffer.byteLength(prompt) > TEXT_BYTES_MAX) return;
  const hashes = { prompt_sha256: seal.promptSha256, answer_sha256: seal.answerSha256 };
  try {
    await inTransaction(db, async (tx) => {
      await keepModelText(tx, { requestId, agentId, runId, prompt, answer, salt, days });
      await recordAct(tx, actingAs('agent', agentId), {
        action: 'models.text_keep',
        object: requestId,
        detail: { model, run_id: runId, ...hashes, days },
      });
    });
  } catch (error) {
    log('error', 'the text of a model request could not be stored', { request_id: requestId, error });
  }
}
