import { RUN_ANSWER_MAX_CHARS } from '@hamlet/contract';
import { endLine, isSettled, messageStateOf, shorten } from '@hamlet/core';
import { findMessageOfRun, insertMessage, setMessageState, type MessageRow, type RunRow, type Tx } from '@hamlet/store';

const VILLAGE_AUTHOR = { role: 'system', id: 'village', name: 'The village' } as const;

/**
 * Applies a change of a run to its message, in the transaction of the change: its state, and the answer or the reason
 * why there is none. A failed run may have both: the agent's report, and the cause. Does nothing for a run without a message. The caller has locked the run.
 * @param answer of the agent; without one, the summary of a run that is done
 */
export async function followRun(tx: Tx, run: RunRow, answer: string | undefined): Promise<void> {
  if (run.sessionId === null) return;
  const message = await findMessageOfRun(tx, run.runId);
  if (message === null) return;
  const text = answer ?? run.summary;
  const state = messageStateOf(run.state, text !== null);
  if (state === message.state) return;
  const words = state === 'failed' ? (answer ?? null) : text;
  if (isSettled(run.state)) await conclude(tx, { run, message, state, text: words });
  await setMessageState(tx, message.messageId, state);
}

interface Conclusion {
  readonly run: RunRow;
  readonly message: MessageRow;
  readonly state: ReturnType<typeof messageStateOf>;
  readonly text: string | null;
}

async function conclude(tx: Tx, { run, message, state, text }: Conclusion): Promise<void> {
  const { sessionId, messageId } = message;
  const line = { sessionId, runId: run.runId, state: 'answered', inReplyTo: messageId } as const;
  if (text !== null && state !== 'cancelled') {
    const author = { role: 'agent', id: run.agentId, name: run.agentId } as const;
    const cost = { micros: costOf(run), steps: run.steps };
    await insertMessage(tx, { ...line, author, text: shorten(text, RUN_ANSWER_MAX_CHARS), cost }, null);
  }
  if (state === 'answered') return;
  const error = run.errorMessage === null ? null : { message: run.errorMessage };
  const said = endLine(state === 'cancelled' ? 'cancelled' : 'failed', error);
  await insertMessage(
    tx,
    { ...line, author: VILLAGE_AUTHOR, text: shorten(said, RUN_ANSWER_MAX_CHARS), cost: null },
    null,
  );
}

/** Micro-aiDollars by the API's own count, if it has one, as in the usage of the run. Pure. */
function costOf({ tokens, costMicros, claimedCostMicros }: RunRow): number {
  return tokens > 0 || costMicros > 0 ? costMicros : claimedCostMicros;
}
