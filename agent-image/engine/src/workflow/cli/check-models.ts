import { openModel, type Environment } from '../facade/models/open-model.ts';
import { taskParts } from '../facade/task-parts.ts';
import type { Task } from '../facade/task.ts';
import { loadManifests } from '../manifest/load-manifests.ts';

/**
 * Why the models of the agents that a task may ask cannot be used: a line each, with the fix. Asks no server; it finds keys that are not
 * set, before a stage fails. Empty for a folder without models.
 */
export async function modelFaults(
  dir: string,
  { pipeline, overrides }: Pick<Task, 'pipeline' | 'overrides'>,
  env: Environment,
): Promise<readonly string[]> {
  const loaded = await loadManifests(dir);
  if (!loaded.ok) return [];
  const { plan, agents } = taskParts(loaded.value, pipeline, overrides);
  const asked = new Set(plan.stages.map(({ agent }) => agent));
  const used = new Set(agents.filter(({ id }) => asked.has(id)).map(({ model }) => model));
  const opened = await Promise.all(
    loaded.value.models.filter(({ id }) => used.has(id)).map((model) => openModel(model, env)),
  );
  return opened.flatMap((model) => (model.ok ? [] : [model.message]));
}
