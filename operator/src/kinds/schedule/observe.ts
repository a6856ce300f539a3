import { keyOf, type KubeObject, type ObjectCache } from '@hamlet/kube';
import type { RunFacts } from '../../village/api-state.ts';
import { millis, type Decided, type Observed, type ScheduleView } from './cached-schedule.ts';

export interface AgentsKnown {
  get(key: string): KubeObject | undefined;
  values(): Iterable<KubeObject>;
}

export interface Sources {
  readonly schedules: ObjectCache<ScheduleView>;
  readonly agents: AgentsKnown;
  readonly runs: RunFacts;
  readonly decided: ReadonlyMap<string, Decided>;
}

export function selects({ spec, metadata }: ScheduleView, agent: KubeObject['metadata']): boolean {
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
      agent !== undefined && agent.metadata.deletionTimestamp === undefined && selects(schedule, agent.metadata),
  );
  return reached.flatMap((agent) => (agent === undefined ? [] : [agent.metadata.name])).toSorted();
}

export function observe({ schedules, agents, runs, decided }: Sources, key: string): Observed | undefined {
  const schedule = schedules.get(key);
  if (schedule === undefined) return undefined;
  const { uid } = schedule.metadata;
  const none = { schedule_uid: uid, active_runs: 0, last_run_id: null, last_run_at: null, last_slot: null };
  // Once the api has reported the whole state, a Schedule without a report has no runs.
  const activity = runs.scheduleOf(uid) ?? (runs.synced ? none : undefined);
  return {
    schedule,
    decided: decided.get(uid),
    activity,
    claimedMs: millis(activity?.last_slot),
    agents: agentsOf(agents, schedule),
    apiReachable: runs.reachable && runs.synced,
  };
}
