import type { Mind, Run } from '@hamlet/contract';
import { isForeign, MindCourse, mindIn, mindOfRuntime } from '@hamlet/core';
import type { RunTrace } from '../../client/minds/run-trace.ts';
import type { TraceItem } from '../../client/minds/trace-items.ts';

/** The mind that worked on a run last; null while it is unknown. */
export function traceMind({ events, run }: Pick<RunTrace, 'events' | 'run'>): Mind | null {
  for (const { event, detail } of events.toReversed())
    if (event === 'started' || event === 'redelivered') return mindIn(detail) ?? runtimeMind(run);
  return runtimeMind(run);
}

/** The village's own mind by the name of its runtime. The runtime of a program of others does not name the program. */
function runtimeMind(run: Pick<Run, 'runtime'> | null): Mind | null {
  const mind = run === null || run.runtime === null ? null : mindOfRuntime(run.runtime);
  return mind === null || isForeign(mind) ? null : mind;
}

/** The starts of a run with a mind that is not the one before, by the keys of their items. */
export function mindChanges(items: readonly TraceItem[], agent: string): ReadonlyMap<string, string> {
  const course = new MindCourse(agent);
  return new Map(
    items.flatMap((item): (readonly [string, string])[] => {
      const change = item.kind === 'note' ? course.next(mindIn(item.event.detail)) : null;
      return change === null ? [] : [[item.key, change]];
    }),
  );
}

/** For each work in a conversation the line about its change of mind; null for the same mind, or an unknown one. */
export function changesBetween(
  traces: readonly Pick<RunTrace, 'events' | 'run'>[],
  agent: string,
): readonly (string | null)[] {
  const course = new MindCourse(agent);
  return traces.map((trace) => course.next(traceMind(trace)));
}
