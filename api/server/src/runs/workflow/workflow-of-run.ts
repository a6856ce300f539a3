import type { getRunWorkflow } from '@hamlet/contract';
import { readContextTexts, readFlowClaims, readManifestFiles, readStageWorkers, type Db } from '@hamlet/store';
import type { DataOf } from '../../http/handler.ts';
import { accepted, refused, type Outcome } from '../../http/outcome.ts';
import type { ShownRun } from '../audience/run-audience.ts';
import { veiledText } from '../audience/veil.ts';
import { foldStages, type FoldedFlow } from './fold-stages.ts';
import { showStages } from './show-stages.ts';

/** The workflow of a run, from its agent's journal, as this reader may see it. */
export async function workflowOfRun(
  db: Db,
  { row, veiled }: ShownRun,
): Promise<Outcome<DataOf<typeof getRunWorkflow>>> {
  if (row.manifests === null) return refused('no_workflow');
  const { opened, stages } = foldStages(await readFlowClaims(db, row.runId));
  const [plan, texts] = await Promise.all([planOf(db, row.agentUid, opened), textsOf(db, row.agentUid, stages)]);
  const veil = veiled ? veiledText({ session_id: row.sessionId }) : null;
  const workers = await readStageWorkers(db, row.runId);
  return accepted({
    manifests: { sha256: row.manifests, files: await readManifestFiles(db, row.manifests) },
    pipeline: opened?.pipeline ?? null,
    // The plan contains the overrides, which only readers of the texts may see.
    plan: veiled ? null : plan,
    stages: showStages(stages, { run: row, plan, workers, texts, veil }),
  });
}

async function planOf(db: Db, agentUid: string, opened: FoldedFlow['opened']): Promise<string | null> {
  if (opened === null) return null;
  return (await readContextTexts(db, agentUid, [opened.planRef])).get(opened.planRef)?.text ?? null;
}

/** Messages, which are short, come last: above its limit the store leaves out the first texts. */
function textsOf(db: Db, agentUid: string, stages: FoldedFlow['stages']): ReturnType<typeof readContextTexts> {
  const long = stages.flatMap(({ inputRef, ended }) => [inputRef, ended?.output ?? null]);
  const messages = stages.map(({ ended }) => ended?.failure?.message ?? null);
  return readContextTexts(
    db,
    agentUid,
    [...long, ...messages].filter((ref) => ref !== null),
  );
}
