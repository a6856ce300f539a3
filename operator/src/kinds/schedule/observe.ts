import { keyOf, type KubeObject, type ObjectCache } from '@hamlet/kube';
import type { Activity, Decided, Observed, ScheduleView } from './views.ts';

/** What the api says of the runs of one Schedule. */
export interface ScheduleFacts extends Omit<Activity, 'lastSlotMs'> {
  /** RFC 3339. */
  readonly lastSlot?: string | undefined;
}

/** What the api says of the runs of Schedules. */
export interface RunFacts {
  readonly reachable: boolean;
  /** Whether all that holds was said once. */
  readonly heard: boolean;
  scheduleOf(uid: string): ScheduleFacts | undefined;
}

function activityOf(said: ScheduleFacts): Activity {
  const { lastSlot, ...rest } = said;
  return lastSlot === undefined ? rest : { ...rest, lastSlotMs: Date.parse(lastSlot) };
}

/** The Agents, kept by somebody else. */
export interface AgentsKnown {
  get(key: string): KubeObject | undefined;
  values(): Iterable<KubeObject>;
}

/** Everything that observations are made of. */
export interface Sources {
  readonly schedules: ObjectCache<ScheduleView>;
  readonly agents: AgentsKnown;
  readonly runs: RunFacts;
  /** By the uid of the Schedule. */
  readonly decided: ReadonlyMap<string, Decided>;
}

/** Whether an Agent is one that the Schedule speaks to. */
export function speaksTo({ spec, metadata }: ScheduleView, agent: KubeObject['metadata']): boolean {
  if (spec === undefined || agent.namespace !== metadata.namespace) return false;
  if (spec.selector === undefined) return agent.name === spec.agentName;
  return Object.entries(spec.selector.matchLabels).every(([label, value]) => agent.labels?.[label] === value);
}

function agentsOf(agents: AgentsKnown, schedule: ScheduleView): readonly string[] {
  const { spec, metadata } = schedule;
  const named =
    spec?.agentName === undefined
      ? agents.values()
      : [agents.get(keyOf({ namespace: metadata.namespace, name: spec.agentName }))];
  const reached = [...named].filter(
    (agent) =>
      agent !== undefined && agent.metadata.deletionTimestamp === undefined && speaksTo(schedule, agent.metadata),
  );
  return reached.flatMap((agent) => (agent === undefined ? [] : [agent.metadata.name])).toSorted();
}

/** Gathers one plain value about one Schedule; undefined if there is no such Schedule. */
export function observe({ schedules, agents, runs, decided }: Sources, key: string): Observed | undefined {
  const schedule = schedules.get(key);
  if (schedule === undefined) return undefined;
  const { uid } = schedule.metadata;
  const said = runs.scheduleOf(uid);
  return {
    schedule,
    decided: decided.get(uid),
    // Once all that holds was said, silence means that nothing goes.
    activity: said === undefined ? (runs.heard ? { activeRuns: 0 } : undefined) : activityOf(said),
    agents: agentsOf(agents, schedule),
    apiReachable: runs.reachable && runs.heard,
  };
}
