import { type FiredRun, SCHEDULE_REASONS, type ScheduleView } from '@hamlet/contract';
import type { Tone } from '../../ui/controls.tsx';
import { capital } from '../../client/labels.ts';

type OutcomeLabels = Readonly<{ word: string; tone: Tone; hint: string }>;

export const OUTCOME_LABELS: Readonly<Record<FiredRun['outcome'], OutcomeLabels>> = {
  started: { word: 'Started', tone: 'good', hint: 'The run began at once.' },
  queued: { word: 'Queued', tone: 'waiting', hint: 'The run waits for an earlier run to end.' },
  replaced: { word: 'Replaced', tone: 'good', hint: 'An earlier run ended for this one.' },
  skipped_overlap: { word: 'Skipped', tone: 'sleep', hint: 'An earlier run was still active.' },
  agent_unknown: { word: 'No agent', tone: 'bad', hint: 'No agent had that name.' },
  manifests_unusable: { word: 'No workflow', tone: 'bad', hint: 'The agent had no manifests that can be used.' },
  agent_barred: { word: 'Barred', tone: 'bad', hint: 'A restriction by an admin stopped the agent.' },
};

export function stateOf(view: Pick<ScheduleView, 'suspend' | 'status'>): {
  readonly word: string;
  readonly tone: Tone;
  readonly advice: string | null;
} {
  if (view.suspend) return { word: 'Suspended', tone: 'sleep', advice: null };
  const wrong = view.status.conditions.find(
    ({ type, status }) => (type === 'Accepted' || type === 'Active') && status !== 'True',
  );
  if (wrong !== undefined)
    return {
      word: wrong.reason === '' ? 'Not active' : wordsOf(wrong.reason),
      tone: wrong.reason === 'ApiUnreachable' ? 'waiting' : 'bad',
      advice: adviceOf(wrong),
    };
  return view.status.conditions.length === 0
    ? {
        word: 'New',
        tone: 'waiting',
        advice: 'The operator has not reconciled it yet. Check the operator if this lasts.',
      }
    : { word: 'Active', tone: 'good', advice: null };
}

function adviceOf({ reason, message }: { readonly reason: string; readonly message: string }): string {
  const advice = Object.entries(SCHEDULE_REASONS).find(([known]) => known === reason)?.[1] ?? '';
  return [message, advice]
    .filter((part) => part !== '')
    .map((part) => `${capital(part).replace(/\.$/, '')}.`)
    .join(' ');
}

const wordsOf = (reason: string): string => capital(reason.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase());

/** The agents of a schedule: the name of one for people, or their labels. */
export function targetLabel(
  view: Pick<ScheduleView, 'agent_name' | 'selector'>,
  nameOf: (agentId: string) => string,
): string {
  if (view.agent_name !== null) return nameOf(view.agent_name);
  return `all with ${Object.entries(view.selector?.match_labels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(', ')}`;
}

export function policyLabels(
  view: Pick<
    ScheduleView,
    'workflow' | 'missed_runs' | 'catch_up_limit' | 'overlap' | 'starting_deadline_seconds' | 'history_limit'
  >,
): string[] {
  const missed = {
    Skip: 'Missed runs are skipped.',
    RunOnce: 'One run makes up for all missed ones.',
    CatchUp: `The last ${view.catch_up_limit} missed runs begin late.`,
  }[view.missed_runs];
  const overlap = {
    Forbid: 'While an earlier run is active, the next is skipped.',
    Queue: 'While an earlier run is active, a new run waits.',
    Replace: 'A new run ends an earlier one.',
  }[view.overlap];
  return [
    ...(view.workflow === null ? [] : [workflowLabel(view.workflow)]),
    missed,
    overlap,
    `A run that is ${view.starting_deadline_seconds} s late counts as missed.`,
    `The village keeps the last ${view.history_limit} runs.`,
  ];
}

function workflowLabel({ pipeline, mode, tags = [] }: NonNullable<ScheduleView['workflow']>): string {
  const choices = [
    ...(pipeline === undefined ? [] : [`pipeline ${pipeline}`]),
    ...(mode === undefined ? [] : [`mode ${mode}`]),
    ...(tags.length === 0 ? [] : [`tags ${tags.join(', ')}`]),
  ];
  return `Each run carries out the workflow of its agent${choices.length === 0 ? '' : ` (${choices.join('; ')})`}.`;
}
