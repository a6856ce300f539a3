import { compilePlan, type ConfigError, type Manifests, type Plan, readManifests } from '@hamlet/engine/manifests';
import type { Texts } from './manifest-edits.ts';

/** The result of a check: the errors of all files, or the manifests. */
export type Checked = Readonly<{ errors: readonly ConfigError[]; manifests: Manifests | null }>;

export function checkTexts(texts: Texts): Checked {
  const read = readManifests(texts);
  return read.ok ? { errors: [], manifests: read.value } : { errors: read.errors, manifests: null };
}

/** The pipeline to show: the chosen one, or the first if the manifests lack it. */
export function pipelineIn({ pipelines }: Pick<Manifests, 'pipelines'>, chosen: string | null): string {
  return pipelines.find(({ id }) => id === chosen)?.id ?? pipelines[0]?.id ?? '';
}

/** The plan of a pipeline; null if the pipeline has none. Pure. */
export function planOf(manifests: Manifests, pipeline: string): Plan | null {
  const plan = compilePlan(manifests, pipeline);
  return plan.ok ? plan.value : null;
}

/** Modes and tags that the pipelines know, for suggestions. */
export function knownWords({
  pipelines,
}: Pick<Manifests, 'pipelines'>): Readonly<Record<'modes' | 'tags', readonly string[]>> {
  const all = (key: 'modes' | 'tags'): readonly string[] => [...new Set(pipelines.flatMap((each) => each[key]))];
  return { modes: all('modes'), tags: all('tags') };
}

/** `2 problems`, or `No problems`. */
export function problemCount(errors: readonly unknown[]): string {
  if (errors.length === 0) return 'No problems';
  return errors.length === 1 ? '1 problem' : `${errors.length} problems`;
}
