import type { ManifestFiles, rerunRun as rerunRunRoute, Run, RunWorkflow } from '@hamlet/contract';
import { isSettled } from '@hamlet/core';
import {
  findRun,
  insertRuns,
  keepManifests,
  readFlowClaims,
  readManifestFiles,
  taintByEarlierRun,
  type RunRow,
  type Tx,
} from '@hamlet/store';
import { recordAct } from '../../audit/record-act.ts';
import type { Handlers, RequestOf } from '../../http/handler.ts';
import { runOnce } from '../../http/idempotent.ts';
import { accepted, refused, type Outcome } from '../../http/outcome.ts';
import { isRunOfReader } from '../audience/run-audience.ts';
import { runView } from '../run-view.ts';
import { foldStages, stageStatus, type FoldedStage } from '../workflow/fold-stages.ts';
import type { Village } from '../../village.ts';
import { isOwn, lifeForRun } from './new-run.ts';

type Rerunning = RequestOf<typeof rerunRunRoute>;
/** Null for the manifests of the earlier run. */
type FilesOfRun = Outcome<ManifestFiles | null>;

/** Reads the current manifests before the transaction, which then waits for nothing outside of the database. */
export function rerunRun(village: Village): Handlers['rerunRun'] {
  return {
    kind: 'own',
    run: async (request, key) => {
      const files = await filesFor(village, request);
      return runOnce(village.db, key, (tx) => rerun(village, tx, { request, files }));
    },
  };
}

async function filesFor({ db, manifestSource }: Village, { params, body }: Rerunning): Promise<FilesOfRun> {
  const earlier = body.manifests === 'current' ? await findRun(db, params.run_id) : null;
  return earlier === null ? accepted(null) : manifestSource.read(earlier.agentId);
}

async function rerun(
  village: Village,
  tx: Tx,
  { request, files }: { readonly request: Rerunning; readonly files: FilesOfRun },
): Promise<Outcome<{ readonly run: Run }>> {
  const found = await runToRepeat(tx, request);
  if (!found.ok) return found;
  const { earlier, stage } = found.data;
  const life = await lifeForRun(tx, village, earlier.agentId);
  if (!life.ok) return life;
  if (life.data.uid !== earlier.agentUid)
    return refused(
      'no_such_run',
      'An earlier life of the agent carried out this run, and its journal is gone: create another run',
    );
  if (!files.ok) return files;
  const kept = files.data ?? (await readManifestFiles(tx, earlier.manifests));
  const { input_json } = request.body;
  const workflow: RunWorkflow = {
    ...earlier.workflow,
    manifests: await keepManifests(tx, kept),
    rerun: { run_id: earlier.runId, stage, ...(input_json !== undefined && { input_json }) },
  };
  return accepted({ run: runView(await insertRerun(tx, request, { earlier, workflow })) });
}

type WorkflowRow = RunRow & { readonly workflow: NonNullable<RunRow['workflow']>; readonly manifests: string };

const carriesWorkflow = (run: RunRow): run is WorkflowRow => run.workflow !== null && run.manifests !== null;

/** The ended run that a person repeats, and the stage from which. */
async function runToRepeat(
  tx: Tx,
  { actor, params, body }: Rerunning,
): Promise<Outcome<{ readonly earlier: WorkflowRow; readonly stage: string }>> {
  const earlier = await findRun(tx, params.run_id);
  if (earlier === null || !(await isRunOfReader(tx, actor, earlier))) return refused('no_such_run');
  if (actor.role !== 'admin' && !isOwn(actor, earlier))
    return refused('forbidden', 'Members may repeat only runs that they created');
  if (!carriesWorkflow(earlier)) return refused('no_workflow');
  if (!isSettled(earlier.state)) return refused('run_under_way', 'Wait until the run ends, or cancel it');
  const { stages } = foldStages(await readFlowClaims(tx, earlier.runId));
  const stage = stageToRepeat(stages, body.stage);
  if (stage === null && body.stage === undefined)
    return refused('no_such_stage', 'No stage of the run failed or was stopped: name the stage to repeat from');
  return stage === null ? refused('no_such_stage') : accepted({ earlier, stage });
}

/** The stage with this id if it has begun; without an id the first one that failed or was stopped. Null if there is none. Pure. */
function stageToRepeat(stages: readonly FoldedStage[], named: string | undefined): string | null {
  const isWanted = (each: FoldedStage): boolean =>
    named === undefined ? ['failed', 'stopped'].includes(stageStatus(each, true)) : each.stage === named;
  return stages.find((each) => each.attempt > 0 && isWanted(each))?.stage ?? null;
}

async function insertRerun(
  tx: Tx,
  request: Rerunning,
  { earlier, workflow }: { readonly earlier: WorkflowRow; readonly workflow: RunWorkflow },
): Promise<RunRow> {
  const { agentId, agentUid, prompt, safeMode } = earlier;
  const by = { createdByRole: request.actor.role, createdById: request.actor.id };
  const traceparent = request.ownSpan;
  const asked = { agentId, agentUid, kind: 'prompt', prompt, safeMode, schedule: null, workflow, traceparent } as const;
  const [run] = await insertRuns(tx, [{ ...asked, ...by }]);
  if (run === undefined) throw new Error('the database returned no run');
  await taintByEarlierRun(tx, run, earlier.runId);
  const detail = { run_id: run.runId, repeats: earlier.runId, manifests: workflow.manifests };
  await recordAct(tx, request, { action: 'run.create', object: agentId, detail });
  return run;
}
