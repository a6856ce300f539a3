import { VILLAGE_TOOLS } from '@hamlet/contract';
import type { Tx } from '@hamlet/store';
import { invalidOutcome } from '../../permissions/call-outcomes.ts';
import type { BegunWorker, WorkerCall } from '../../permissions/perform-call.ts';
import { addWorker } from './add-worker.ts';
import { beginStage } from './begin-stage.ts';

/** Begins the worker of a call of `delegate` or `run_stage`. */
export async function beginWorker(tx: Tx, call: WorkerCall): Promise<BegunWorker> {
  if (call.tool === 'run_stage') return beginStage(tx, call);
  const parsed = VILLAGE_TOOLS.delegate.input.safeParse(call.arguments);
  if (!parsed.success) return { outcome: invalidOutcome(parsed.error.issues), isFinal: true };
  const { outcome } = await addWorker(tx, call.run, { callId: call.callId, ...parsed.data });
  return { outcome, isFinal: true };
}
