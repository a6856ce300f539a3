import type { createRun as createRunRoute, ManifestFiles, Run, RunOffer, RunWorkflow } from '@hamlet/contract';
import { continuedPrompt, isSettled } from '@hamlet/core';
import {
  findRun,
  inSavepoint,
  insertRuns,
  keepManifests,
  taintByEarlierRun,
  type RunRow,
  type Tx,
} from '@hamlet/store';
import { recordAct } from '../../audit/record-act.ts';
import type { Handlers, RequestOf } from '../../http/handler.ts';
import { runOnce } from '../../http/idempotent.ts';
import { accepted, refused, type Outcome, type Refused } from '../../http/outcome.ts';
import { refuseUnpermitted } from '../../http/pipeline/authorize.ts';
import { isRunOfReader } from '../audience/run-audience.ts';
import { keepSchema, schemaOfNewRun } from '../output/output-of-run.ts';
import { runView } from '../run-view.ts';
import type { Village } from '../../village.ts';
import { isOwn, lifeForRun } from './new-run.ts';

type Created = { readonly run: Run; readonly offer: RunOffer | null };
type Creating = RequestOf<typeof createRunRoute>;
type FilesOfRun = Outcome<ManifestFiles | null>;

/** Reads the manifests before the transaction, which then waits for nothing outside of the database. */
export function createRun(village: Village): Handlers['createRun'] {
  return {
    kind: 'own',
    run: async (request, key) => {
      const { params, body } = request;
      const files: FilesOfRun =
        body.workflow === undefined ? accepted(null) : await village.manifestSource.read(params.agent_id);
      return runOnce(village.db, key, (tx) => create(village, tx, { request, files }));
    },
  };
}

/** An offer rewards the agent, so a key needs the scope for rewards too. */
function refuseOffer({ actor, body }: Creating): Refused | null {
  return body.offer === undefined ? null : refuseUnpermitted(actor, 'economy:judge', 'offer money for a run');
}

async function create(
  village: Village,
  tx: Tx,
  { request, files }: { readonly request: Creating; readonly files: FilesOfRun },
): Promise<Outcome<Created>> {
  const { body, params } = request;
  if (body.workflow !== undefined && (body.continues !== undefined || body.output_schema !== undefined))
    return refused('validation_failed', 'body.workflow: cannot be combined with continues or output_schema');
  const denied = refuseOffer(request);
  if (denied !== null) return denied;
  const life = await lifeForRun(tx, village, params.agent_id);
  if (!life.ok) return life;
  const earlier = await earlierRun(tx, request);
  if (!earlier.ok) return earlier;
  const schema = await schemaOfNewRun(tx, body, earlier.data);
  if (!schema.ok) return schema;
  if (!files.ok) return files;
  const workflow = await workflowOf(tx, body, files.data);
  const { placeOffer } = village;
  const parts = { uid: life.data.uid, earlier: earlier.data, schema: schema.data, workflow, placeOffer };
  // A run whose offer is refused is not created.
  return inSavepoint(tx, () => createWithOffer(tx, request, parts));
}

async function workflowOf(
  tx: Tx,
  { workflow }: Creating['body'],
  files: ManifestFiles | null,
): Promise<RunWorkflow | undefined> {
  return workflow === undefined || files === null
    ? undefined
    : { ...workflow, manifests: await keepManifests(tx, files) };
}

/** The ended run that a new one continues; null for new work. */
async function earlierRun(tx: Tx, { actor, body, params }: Creating): Promise<Outcome<RunRow | null>> {
  if (body.continues === undefined) return accepted(null);
  const run = await findRun(tx, body.continues);
  if (run === null || run.agentId !== params.agent_id || !(await isRunOfReader(tx, actor, run)))
    return refused('no_such_run');
  if (actor.role !== 'admin' && !isOwn(actor, run))
    return refused('forbidden', 'Members may continue only runs that they created');
  // The words of a conversation are for its people alone, and those of a run for other readers too.
  if (run.sessionId !== null)
    return refused('validation_failed', 'body.continues: send a message to the conversation of this run instead');
  return isSettled(run.state) ? accepted(run) : refused('run_under_way');
}

const promptOf = ({ prompt: words }: Creating['body'], earlier: RunRow | null): string =>
  earlier === null ? words : continuedPrompt(words, { ...earlier, report: earlier.summary ?? '' });

type CreateParts = Pick<Village, 'placeOffer'> & {
  readonly uid: string;
  readonly earlier: RunRow | null;
  readonly schema: string | null;
  readonly workflow: RunWorkflow | undefined;
};

async function createWithOffer(
  tx: Tx,
  request: Creating,
  { uid, earlier, schema, workflow, placeOffer }: CreateParts,
): Promise<Outcome<Created>> {
  const { actor, body, params } = request;
  const by = { createdByRole: actor.role, createdById: actor.id };
  const asked = {
    agentId: params.agent_id,
    agentUid: uid,
    kind: 'prompt',
    prompt: promptOf(body, earlier),
    safeMode: body.safe_mode ?? earlier?.safeMode,
    schedule: null,
    workflow,
    traceparent: request.ownSpan,
  } as const;
  const [run] = await insertRuns(tx, [{ ...asked, ...by }]);
  if (run === undefined) throw new Error('the database returned no run');
  await keepSchema(tx, run, schema);
  if (earlier !== null) await taintByEarlierRun(tx, run, earlier.runId);
  const { safe_mode, continues } = body;
  await recordAct(tx, request, {
    action: 'run.create',
    object: params.agent_id,
    detail: {
      run_id: run.runId,
      ...(safe_mode && { safe_mode }),
      ...(continues && { continues }),
      ...(workflow && { manifests: workflow.manifests }),
    },
  });
  if (body.offer === undefined) return accepted({ run: runView(run), offer: null });
  const { amount, expires_in_hours: expiresInHours } = body.offer;
  const placed = await placeOffer(tx, run, { ...request, amount, expiresInHours });
  return placed.ok ? accepted({ run: runView(run), offer: placed.data }) : placed;
}
