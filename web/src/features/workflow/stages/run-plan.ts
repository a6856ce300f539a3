import type { CallData, getRunWorkflow, RunWorkflow } from '@hamlet/contract';
import {
  choosePipeline,
  compilePlan,
  readManifests,
  readPlan,
  type Manifests,
  type Plan,
} from '@hamlet/engine/manifests';

type Answer = Pick<CallData<typeof getRunWorkflow>, 'manifests' | 'pipeline' | 'plan'>;

/**
 * The plan of a run: as its engine made it, or else compiled from its manifests with the pipeline that the run has, or that its mode and
 * tags choose. Null if the manifests have errors or no pipeline fits. Pure.
 */
export function planOfRun(answer: Answer, asked: Pick<RunWorkflow, 'pipeline' | 'mode' | 'tags'>): Plan | null {
  const made = answer.plan === null ? null : readPlan(answer.plan);
  if (made !== null) return made;
  const read = readManifests(new Map(answer.manifests.files.map(({ path, text }) => [path, text])));
  if (!read.ok) return null;
  const id = answer.pipeline ?? asked.pipeline ?? chosenIn(read.value, asked);
  if (id === null) return null;
  const compiled = compilePlan(read.value, id);
  return compiled.ok ? compiled.value : null;
}

function chosenIn({ pipelines }: Manifests, { mode, tags = [] }: Pick<RunWorkflow, 'mode' | 'tags'>): string | null {
  const chosen = choosePipeline(pipelines, { mode: mode ?? null, tags, overrides: [] });
  return chosen.ok ? chosen.pipeline.id : null;
}
