import type { Mind, Run } from '@hamlet/contract';
import { isForeign, MindCourse, mindIn, mindOfRuntime } from '@hamlet/core';
import type { RunTrace } from '../../client/minds/run-trace.ts';
import type { TraceItem } from '../../client/minds/trace-items.ts';

/** The mind that worked on a run last; null while it is unknown. */
export function traceMind({ events, run }: Pick<RunTrace, 'events' | 'run'>): Mind | null {
  if (run?.mind !== undefined) return run.mind;
  for (const { event, detail } of events.toReversed())
    if (event === 'started' || event === 'redelivered') return mindIn(detail) ?? runtimeMind(run);
  return runtimeMind(run);
}

/** The village's own mind by its runtime; null for a program of another maker, which the runtime does not name. */
function runtimeMind(run: Pick<Run, 'runtime'> | null): Mind | null {
  const mind = run === null || run.runtime === null ? null : mindOfRuntime(run.runtime);
  return mind === null || isForeign(mind) ? null : mind;
}

/** The lines about changes of mind within a run, by the keys of their items. */
export function mindChanges(items: readonly TraceItem[], agent: string): ReadonlyMap<string, string> {
  const course = new MindCourse(agent);
  return new Map(
    items.flatMap((item): (readonly [string, string])[] => {
      const change = item.kind === 'note' ? course.next(mindIn(item.event.detail)) : null;
      return change === null ? [] : [[item.key, change]];
    }),
  );
}

/** For each run of a conversation, the line about a change of mind before it; null without a change, or for an unknown mind. */
export function changesBetween(
  traces: readonly Pick<RunTrace, 'events' | 'run'>[],
  agent: string,
): readonly (string | null)[] {
  const course = new MindCourse(agent);
  return traces.map((trace) => course.next(traceMind(trace)));
}
