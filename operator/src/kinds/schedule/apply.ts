import { API_VERSION, type ScheduleEventReason } from '@hamlet/contract/kinds';
import type { FiredRun, FiringBody, FiringOutcome } from '@hamlet/contract';
import { FIRING_AGENTS_MAX } from '@hamlet/contract/operator';
import { utcText, type DueSlot } from '@hamlet/core/schedule';
import type { EventRecorder } from '@hamlet/kube';
import type { Fire, FiringResult } from './fire.ts';
import type { GivenUp } from './plan.ts';
import { SCHEDULES, type Observed, type ScheduleView } from './views.ts';

/** Agents that an Event names; of more it says how many. */
const NAMED = 5;

/** What actions act on. */
export interface ApplyPorts {
  readonly fire: Fire;
  readonly recorder: Pick<EventRecorder, 'record'>;
}

interface Telling {
  readonly reason: ScheduleEventReason;
  readonly message: string;
}

const WARNINGS: ReadonlySet<ScheduleEventReason> = new Set([
  'FiringsMissed',
  'NoAgent',
  'TooManyAgents',
  'AgentUnavailable',
]);

function tell({ recorder }: ApplyPorts, { metadata }: ScheduleView, { reason, message }: Telling): void {
  const { name, uid, namespace = 'default' } = metadata;
  recorder.record({
    target: { apiVersion: API_VERSION, kind: SCHEDULES.kind, namespace, name, uid },
    type: WARNINGS.has(reason) ? 'Warning' : 'Normal',
    reason,
    message,
  });
}

/** Says what is given up; that it is counted is the status's matter. */
export function tellGivenUp(ports: ApplyPorts, schedule: ScheduleView, { reason, count, untilMs }: GivenUp): void {
  const missed =
    count === 1
      ? `the firing of ${utcText(untilMs)} was missed`
      : `${count} firings until ${utcText(untilMs)} were missed`;
  const message =
    reason === 'NoAgent'
      ? 'no Agent is there to be told: the firing was left out'
      : `${missed} (missedRuns is ${schedule.spec?.missedRuns ?? 'Skip'})`;
  tell(ports, schedule, { reason, message });
}

function names(agents: readonly string[]): string {
  const more = agents.length - NAMED;
  return more > 0 ? `${agents.slice(0, NAMED).join(', ')} and ${more} more` : agents.join(', ');
}

/** What a person is told of the outcome of a firing for some agents; what went as expected is no news. */
const TOLD: { readonly [K in FiringOutcome]: ((agents: string) => Telling) | undefined } = {
  started: undefined,
  queued: undefined,
  skipped_overlap: (agents) => ({
    reason: 'OverlapSkipped',
    message: `left out for ${agents}: an earlier run still goes, or too many wait`,
  }),
  replaced: (agents) => ({
    reason: 'OverlapReplaced',
    message: `an earlier run was cancelled for this one: ${agents}`,
  }),
  agent_unknown: (agents) => ({
    reason: 'AgentUnavailable',
    message: `left out for ${agents}: the api does not know such an agent`,
  }),
  agent_barred: (agents) => ({ reason: 'AgentUnavailable', message: `left out for ${agents}: an admin has barred it` }),
};

function tellOutcomes(ports: ApplyPorts, schedule: ScheduleView, runs: readonly FiredRun[]): void {
  for (const [outcome, some] of Map.groupBy(runs, (run) => run.outcome)) {
    const telling = TOLD[outcome]?.(names(some.map(({ agent_id: agent }) => agent)));
    if (telling !== undefined) tell(ports, schedule, telling);
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
    overlap: spec.overlap,
    history_limit: spec.historyLimit,
    made_up: madeUp,
  };
}

/** Fires one slot for the agents that were observed, and says what a person may want to know. */
export async function fireSlot(ports: ApplyPorts, observed: Observed, due: DueSlot): Promise<FiringResult> {
  const { schedule, agents } = observed;
  const body = bodyOf(observed, due);
  if (body === undefined) return { kind: 'forgotten' };
  const result = await ports.fire(body);
  if (result.kind !== 'fired' || !result.claimed) return result;
  if (due.madeUp)
    tell(ports, schedule, { reason: 'FiringMadeUp', message: `the missed firing of ${body.slot} was made up for` });
  if (agents.length > FIRING_AGENTS_MAX)
    tell(ports, schedule, {
      reason: 'TooManyAgents',
      message: `the selector matches ${agents.length} Agents, and one firing reaches ${FIRING_AGENTS_MAX}`,
    });
  tellOutcomes(ports, schedule, result.runs);
  return result;
}
