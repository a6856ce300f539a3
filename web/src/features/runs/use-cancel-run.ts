import { cancelRun } from '@hamlet/contract';
import { type IntentState, useIntent } from '../../client/query/use-intent.ts';
import { useVillage } from '../village-context.ts';

/** Cancels a run, and has the outcome of the last attempt. */
export function useCancelRun(runId: string): IntentState & { readonly cancel: () => Promise<void> } {
  const { api } = useVillage();
  const { busy, done, refused, send } = useIntent();
  const cancel = async (): Promise<void> => {
    await send((idempotencyKey) => api.call(cancelRun, { params: { run_id: runId }, body: {}, idempotencyKey }));
  };
  return { busy, done, refused, cancel };
}
