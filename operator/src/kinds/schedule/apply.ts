import { API_VERSION, type ScheduleEventReason } from '@hamlet/contract/kinds';
import type { FiredRun, FiringBody, FiringOutcome } from '@hamlet/contract';
import { FIRING_AGENTS_MAX } from '@hamlet/contract/operator';
import { utcText, type DueSlot } from '@hamlet/core/schedule';
import type { EventRecorder } from '@hamlet/kube';
import type { Fire, FiringResult } from './fire.ts';
import type { GivenUp } from './plan.ts';
import { SCHEDULES } from '../../objects/names.ts';
import type { Observed, ScheduleView } from './cached-schedule.ts';

/** Maximum number of Agents that an Event lists. It counts the others. */
const NAMED = 5;

export interface ApplyPorts {
  readonly fire: Fire;
  readonly recorder: Pick<EventRecorder, 'record'>;
}

interface ScheduleEvent {
  readonly reason: ScheduleEventReason;
  readonly message: string;
}

const WARNINGS: ReadonlySet<ScheduleEventReason> = new Set([
  'FiringsMissed',
  'NoAgent',
  'TooManyAgents',
  'AgentUnavailable',
  'ManifestsUnusable',
]);

function recordEvent({ recorder }: ApplyPorts, { metadata }: ScheduleView, { reason, message }: ScheduleEvent): void {
  const { name, uid, namespace = 'default' } = metadata;
  recorder.record({
    target: { apiVersion: API_VERSION, kind: SCHEDULES.kind, namespace, name, uid },
    type: WARNINGS.has(reason) ? 'Warning' : 'Normal',
    reason,
    message,
  });
}

export function recordGivenUp(ports: ApplyPorts, schedule: ScheduleView, { reason, count, untilMs }: GivenUp): void {
  const missed =
    count === 1
      ? `the firing of ${utcText(untilMs)} was missed`
      : `${count} firings until ${utcText(untilMs)} were missed`;
  const message =
    reason === 'NoAgent'
      ? 'the Schedule selects no Agent: the firing was skipped'
      : `${missed} (missedRuns is ${schedule.spec?.missedRuns ?? 'Skip'})`;
  recordEvent(ports, schedule, { reason, message });
}

function names(agents: readonly string[]): string {
  const more = agents.length - NAMED;
  return more > 0 ? `${agents.slice(0, NAMED).join(', ')} and ${more} more` : agents.join(', ');
}

/** The Event for each outcome of a firing, with the names of its agents. Expected outcomes have no Event. */
const OUTCOME_EVENTS: { readonly [K in FiringOutcome]: ((agents: string) => ScheduleEvent) | undefined } = {
  started: undefined,
  queued: undefined,
  skipped_overlap: (agents) => ({
    reason: 'OverlapSkipped',
    message: `skipped for ${agents}: an earlier run is still in progress, or too many wait`,
  }),
  replaced: (agents) => ({
    reason: 'OverlapReplaced',
    message: `cancelled an earlier run for this one: ${agents}`,
  }),
  agent_unknown: (agents) => ({
    reason: 'AgentUnavailable',
    message: `skipped for ${agents}: the api does not know the agent`,
  }),
  agent_barred: (agents) => ({
    reason: 'AgentUnavailable',
    message: `skipped for ${agents}: a measure of an admin bars the agent`,
  }),
  manifests_unusable: (agents) => ({
    reason: 'ManifestsUnusable',
    message: `skipped for ${agents}: the agent has no manifests that can be used`,
  }),
};

function recordOutcomes(ports: ApplyPorts, schedule: ScheduleView, runs: readonly FiredRun[]): void {
  for (const [outcome, some] of Map.groupBy(runs, (run) => run.outcome)) {
    const event = OUTCOME_EVENTS[outcome]?.(names(some.map(({ agent_id: agent }) => agent)));
    if (event !== undefined) recordEvent(ports, schedule, event);
  }
}

function bodyOf(
  { schedule: { metadata, spec }, agents }: Observed,
  { slotMs, madeUp }: DueSlot,
): FiringBody | undefined {
  if (spec === undefined) return undefined;
  return {
    schedule_uid: metadata.uid,
    schedule: metadata.name,
    slot: utcText(slotMs),
    agents: agents.slice(0, FIRING_AGENTS_MAX),
    prompt: spec.prompt,
    ...(spec.workflow === undefined ? {} : { workflow: spec.workflow }),
    overlap: spec.overlap,
    history_limit: spec.historyLimit,
    made_up: madeUp,
  };
}

export async function fireSlot(ports: ApplyPorts, observed: Observed, due: DueSlot): Promise<FiringResult> {
  const { schedule, agents } = observed;
  const body = bodyOf(observed, due);
  if (body === undefined) return { kind: 'forgotten' };
  const result = await ports.fire(body);
  if (result.kind !== 'fired' || !result.claimed) return result;
  if (due.madeUp)
    recordEvent(ports, schedule, { reason: 'FiringMadeUp', message: `made up for the missed firing of ${body.slot}` });
  if (agents.length > FIRING_AGENTS_MAX)
    recordEvent(ports, schedule, {
      reason: 'TooManyAgents',
      message: `the selector matches ${agents.length} Agents, but one firing reaches only ${FIRING_AGENTS_MAX}`,
    });
  recordOutcomes(ports, schedule, result.runs);
  return result;
}
