import { VILLAGE_TOOLS, type CallOutcome } from '@hamlet/contract';
import type { RunRow, Tx } from '@hamlet/store';
import { invalidOutcome } from '../../permissions/call-outcomes.ts';
import { addWorker } from './add-worker.ts';
import { beginStage } from './begin-stage.ts';

interface BeginningCall {
  readonly run: RunRow;
  readonly callId: string;
  readonly tool: string;
  readonly arguments: unknown;
}

/** Begins the worker of a call of `delegate` or `run_stage`. `isFinal`: false if the same call may begin it later. */
export async function beginWorker(
  tx: Tx,
  call: BeginningCall,
): Promise<{ readonly outcome: CallOutcome; readonly isFinal: boolean }> {
  if (call.tool === 'run_stage') return beginStage(tx, call);
  const parsed = VILLAGE_TOOLS.delegate.input.safeParse(call.arguments);
  if (!parsed.success) return { outcome: invalidOutcome(parsed.error.issues), isFinal: true };
  const { outcome } = await addWorker(tx, call.run, { callId: call.callId, ...parsed.data });
  return { outcome, isFinal: true };
}
