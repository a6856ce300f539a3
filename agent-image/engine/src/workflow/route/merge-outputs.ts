import { canonicalJson, isJsonObject } from '../../json/canonical-json.ts';
import { boundedJson, evaluateExpression, type Evaluated } from '../expression/expression.ts';
import type { Scope } from '../expression/place.ts';
import type { StageFailure } from '../plan/failure.ts';
import type { MergePolicy, PlanStage } from '../plan/plan.ts';

/** An input of a merge. `arrived`: its place in the order of the journal, as any numbers that grow. */
export type Arrival = Readonly<{ source: string; value: unknown; arrived: number }>;

export type Merged = Readonly<{ ok: true; value: unknown }> | Readonly<{ ok: false; failure: StageFailure }>;

type MergeStage = Pick<PlanStage, 'id' | 'merge' | 'output'>;
type Policy = (arrivals: readonly Arrival[], stage: MergeStage, scope: Scope) => Evaluated;

const valued = (value: unknown): Evaluated => ({ ok: true, value });
const valuesOf = (arrivals: readonly Arrival[]): readonly unknown[] => arrivals.map(({ value }) => value);

const POLICIES: Readonly<Record<MergePolicy, Policy>> = {
  list: (arrivals) => valued(valuesOf(arrivals)),
  by_source: (arrivals) => valued(Object.fromEntries(arrivals.map(({ source, value }) => [source, value]))),
  first: (arrivals) => valued(earliest(arrivals).value),
  vote: elected,
  reduce: (arrivals, { output }, scope) => reduced(arrivals, output, scope),
};

/**
 * The output of a merge stage. `arrivals`: the inputs that reached it, in the order of the plan's edges. Pure.
 *
 * `list`: all values in that order. `by_source`: an object by the ids of the sources. `first`: the value that arrived first. `vote`: the
 * most frequent vote, and of equally frequent ones the first in that order; the vote of an object is its field `vote`, if it has one.
 * `reduce`: the value of the stage's expression over `inputs` and `sources`. A merge that cannot be built is the failure `merge_failed`.
 */
export function mergeOutputs(stage: MergeStage, arrivals: readonly Arrival[], scope: Scope): Merged {
  const built = problemOf(stage, arrivals) ?? merged(stage, arrivals, scope);
  if (built.ok) return built;
  const message = `The inputs of ${stage.id} cannot be merged: ${built.message}.`;
  return { ok: false, failure: { category: 'routing', code: 'merge_failed', message } };
}

function problemOf({ merge }: MergeStage, arrivals: readonly Arrival[]): Evaluated | null {
  if (merge === null) return { ok: false, message: 'it has no policy; name one' };
  if (arrivals.length === 0) return { ok: false, message: 'there are none' };
  const sources = arrivals.map(({ source }) => source);
  const twice = sources.find((source, index) => sources.indexOf(source) !== index);
  if (merge !== 'by_source' || twice === undefined) return null;
  return { ok: false, message: `two come from ${twice}, and by_source keeps one of each; use list` };
}

const merged = (stage: MergeStage, arrivals: readonly Arrival[], scope: Scope): Evaluated =>
  POLICIES[stage.merge ?? 'list'](arrivals, stage, scope);

const earliest = (arrivals: readonly Arrival[]): Pick<Arrival, 'value'> =>
  arrivals.reduce<Pick<Arrival, 'value' | 'arrived'>>((first, next) => (next.arrived < first.arrived ? next : first), {
    value: null,
    arrived: Number.POSITIVE_INFINITY,
  });

/** The order of the plan, and not of arrival, decides between equal counts: the same task then has the same result at any speed. */
function elected(arrivals: readonly Arrival[]): Evaluated {
  const counts = new Map<string, { vote: Evaluated; count: number }>();
  for (const { value } of arrivals) {
    const vote = boundedJson(isJsonObject(value) && Object.hasOwn(value, 'vote') ? value['vote'] : value);
    if (!vote.ok) return vote;
    const key = canonicalJson(vote.value);
    const counted = counts.get(key) ?? { vote, count: 0 };
    counted.count += 1;
    counts.set(key, counted);
  }
  return [...counts.values()].reduce((best, next) => (next.count > best.count ? next : best)).vote;
}

function reduced(arrivals: readonly Arrival[], output: string | null, scope: Scope): Evaluated {
  if (output === null) return { ok: false, message: 'reduce needs the expression output' };
  const inputs = valuesOf(arrivals);
  const sources = arrivals.map(({ source }) => source);
  return evaluateExpression(output, { ...scope, inputs, sources }, { part: 'merge' });
}
