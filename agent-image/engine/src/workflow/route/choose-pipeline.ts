import type { StageFailure } from '../plan/failure.ts';
import type { Override } from './override.ts';

/** The part of a pipeline that its choice depends on, as manifests have it. An absent list or score is empty or 0. */
export type PipelineOffer = Readonly<{
  id: string;
  modes?: readonly string[] | undefined;
  tags?: readonly string[] | undefined;
  score?: number | undefined;
}>;

export type RoutedTask = Readonly<{ mode: string | null; tags: readonly string[]; overrides: readonly Override[] }>;

/** A candidate of a choice. `reasons`: why it fits, or why not, for people. */
export type RoutingCandidate = Readonly<{ id: string; fits: boolean; score: number; reasons: readonly string[] }>;

/** A choice of the router, as the task keeps it. `candidates`: all of them, in the order of the manifest. */
export type RoutingDecision = Readonly<{
  kind: 'pipeline';
  chosen: string | null;
  reason: string;
  candidates: readonly RoutingCandidate[];
}>;

export type ChosenPipeline<P> =
  | Readonly<{ ok: true; pipeline: P; decision: RoutingDecision }>
  | Readonly<{ ok: false; failure: StageFailure; decision: RoutingDecision }>;

const SAFE_MODES = ['analysis_only', 'dry_run'] as const;
type SafeMode = (typeof SAFE_MODES)[number];

/**
 * Chooses the pipeline of a task. Pure: equal arguments have the same choice.
 *
 * A pipeline fits a task whose mode it names (no modes: every mode) and that has all its tags. For a task with the override `analysis_only`
 * or `dry_run`, a pipeline that names that mode fits too, and comes before all that do not. Then the highest score decides, then the order.
 */
export function choosePipeline<P extends PipelineOffer>(pipelines: readonly P[], task: RoutedTask): ChosenPipeline<P> {
  const safeMode = SAFE_MODES.find((mode) => task.overrides.some(({ kind }) => kind === mode)) ?? null;
  const judged = pipelines.map((pipeline) => ({ pipeline, ...judge(pipeline, task, safeMode) }));
  const candidates = judged.map(({ candidate }) => candidate);
  const preferred = judged.filter(({ candidate, isPreferred }) => candidate.fits && isPreferred);
  const open = preferred.length > 0 ? preferred : judged.filter(({ candidate }) => candidate.fits);
  const [first, ...rest] = open;
  if (first === undefined) return unrouted(task, candidates);
  const best = rest.reduce((found, next) => (next.candidate.score > found.candidate.score ? next : found), first);
  const reason = `${preferred.length > 0 ? `it names the mode ${safeMode}` : 'it fits'}${rankOf(best.candidate, open.length)}`;
  return {
    ok: true,
    pipeline: best.pipeline,
    decision: { kind: 'pipeline', chosen: best.candidate.id, reason, candidates },
  };
}

const rankOf = ({ score }: RoutingCandidate, count: number): string =>
  count === 1 ? ', and no other one does' : `, and is the first of ${count} with the highest score (${score})`;

type Fit = Readonly<{ fits: boolean; isPreferred: boolean; reason: string }>;
type Judged = Readonly<{ candidate: RoutingCandidate; isPreferred: boolean }>;

function judge(
  { id, modes, tags = [], score = 0 }: PipelineOffer,
  task: RoutedTask,
  safeMode: SafeMode | null,
): Judged {
  const missing = tags.filter((tag) => !task.tags.includes(tag));
  const byMode = fitOfMode(modes ?? [], task.mode, safeMode);
  const byTags = missing.length === 0 ? tagReason(tags) : `the task lacks the tags ${missing.join(', ')}`;
  const fits = byMode.fits && missing.length === 0;
  return { candidate: { id, fits, score, reasons: [byMode.reason, byTags] }, isPreferred: byMode.isPreferred };
}

function fitOfMode(modes: readonly string[], mode: string | null, safeMode: SafeMode | null): Fit {
  if (safeMode !== null && modes.includes(safeMode)) {
    return { fits: true, isPreferred: true, reason: `it names the mode ${safeMode} of the override` };
  }
  if (modes.length === 0) return { fits: true, isPreferred: false, reason: 'it takes every mode' };
  if (mode !== null && modes.includes(mode))
    return { fits: true, isPreferred: false, reason: `it names the mode ${mode}` };
  const reason = `it takes the modes ${modes.join(', ')}, and the task has ${mode ?? 'none'}`;
  return { fits: false, isPreferred: false, reason };
}

const tagReason = (tags: readonly string[]): string =>
  tags.length === 0 ? 'it needs no tags' : `the task has the tags ${tags.join(', ')}`;

function unrouted({ mode, tags }: RoutedTask, candidates: readonly RoutingCandidate[]): ChosenPipeline<never> {
  const reason = `no pipeline fits the mode ${mode ?? '(none)'} and the tags ${tags.length === 0 ? '(none)' : tags.join(', ')}`;
  const message = `${reason}: correct the task, or add a pipeline without modes and tags`;
  return {
    ok: false,
    failure: { category: 'routing', code: 'no_pipeline', message },
    decision: { kind: 'pipeline', chosen: null, reason, candidates },
  };
}
