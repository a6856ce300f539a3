import { REFUSALS, VILLAGE_TOOLS, type CallOutcome } from '@hamlet/contract';
import type { Tx } from '@hamlet/store';
import { deniedOutcome, invalidOutcome } from '../../permissions/call-outcomes.ts';
import type { BegunWorker, WorkerCall } from '../../permissions/perform-call.ts';
import { faultOfSchema } from '../output/check-output.ts';
import { keepSchema } from '../output/output-of-run.ts';
import { addWorker } from './add-worker.ts';

const final = (outcome: CallOutcome): BegunWorker => ({ outcome, isFinal: true });

/**
 * Begins the worker of a stage of the run's own workflow. While other workers of the run are active, a guard's refusal is not final: their
 * places and shares become free, so the same call may begin its worker later (`data.again`).
 */
export async function beginStage(tx: Tx, { run, callId, arguments: given }: WorkerCall): Promise<BegunWorker> {
  if (run.workflow === null) return final(deniedOutcome('no_workflow', REFUSALS.no_workflow.title));
  const parsed = VILLAGE_TOOLS.run_stage.input.safeParse(given);
  if (!parsed.success) return final(invalidOutcome(parsed.error.issues));
  const { stage, round, attempt, agent, output_schema: schema, ...asked } = parsed.data;
  const fault = schema === undefined ? null : await faultOfSchema(schema);
  if (fault !== null) return final({ kind: 'failed', code: 'output_schema_invalid', text: fault });
  const added = await addWorker(tx, run, { callId, role: stage, ...asked, stage: { stage, round, attempt, agent } });
  if (!added.ok)
    return added.active === 0
      ? final(added.outcome)
      : { outcome: { ...added.outcome, data: { again: true } }, isFinal: false };
  await keepSchema(tx, added.worker, schema === undefined ? null : JSON.stringify(schema));
  return final(added.outcome);
}
