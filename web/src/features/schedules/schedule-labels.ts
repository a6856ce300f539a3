import { type FiredRun, SCHEDULE_REASONS, type ScheduleView } from '@hamlet/contract';

/** What a firing came to for one agent, with the tone of its mark. */
interface OutcomeWords {
  readonly word: string;
  readonly tone: 'good' | 'waiting' | 'bad' | 'sleep';
  readonly hint: string;
}

export const OUTCOME_WORDS: Readonly<Record<FiredRun['outcome'], OutcomeWords>> = {
  started: { word: 'Fired', tone: 'good', hint: 'A run was made at once.' },
  queued: { word: 'Queued', tone: 'waiting', hint: 'A run was made behind one that still goes.' },
  replaced: { word: 'Replaced', tone: 'good', hint: 'The run that still went was ended for this one.' },
  skipped_overlap: { word: 'Skipped', tone: 'sleep', hint: 'An earlier run still went.' },
  agent_unknown: { word: 'No agent', tone: 'bad', hint: 'There was no agent of that name.' },
  agent_barred: { word: 'Barred', tone: 'bad', hint: 'An admin held something against the agent.' },
};

/** How a schedule stands, in a word, with what to do where something is wrong. */
export function stateOf(view: Pick<ScheduleView, 'suspend' | 'status'>): {
  readonly word: string;
  readonly tone: 'good' | 'waiting' | 'bad' | 'sleep';
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
    ? { word: 'Not seen yet', tone: 'waiting', advice: 'The operator has not looked at it yet.' }
    : { word: 'Active', tone: 'good', advice: null };
}

function adviceOf({ reason, message }: { readonly reason: string; readonly message: string }): string {
  const advice = Object.entries(SCHEDULE_REASONS).find(([known]) => known === reason)?.[1] ?? '';
  return [message, advice]
    .filter((part) => part !== '')
    .map((part) => `${part.charAt(0).toUpperCase()}${part.slice(1).replace(/\.$/, '')}.`)
    .join(' ');
}

/** `AgentNotFound` as words: `Agent not found`. */
function wordsOf(reason: string): string {
  const words = reason.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** Who gets the prompt. */
export function targetWords(view: Pick<ScheduleView, 'agent_name' | 'selector'>): string {
  if (view.agent_name !== null) return view.agent_name;
  return `all with ${Object.entries(view.selector?.match_labels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(', ')}`;
}

/** How a schedule deals with what goes wrong, in a sentence each. */
export function policyWords(
  view: Pick<
    ScheduleView,
    'missed_runs' | 'catch_up_limit' | 'overlap' | 'starting_deadline_seconds' | 'history_limit'
  >,
): string[] {
  const missed = {
    Skip: 'are skipped',
    RunOnce: 'are made up for by one',
    CatchUp: `are made up for, the last ${view.catch_up_limit} of them`,
  }[view.missed_runs];
  const overlap = {
    Forbid: 'a firing is skipped',
    Queue: 'a firing waits behind it',
    Replace: 'it is ended for the new one',
  }[view.overlap];
  return [
    `Missed firings ${missed}.`,
    `While an earlier run goes, ${overlap}.`,
    `A firing later than ${view.starting_deadline_seconds} s counts as missed.`,
    `${view.history_limit} runs are kept.`,
  ];
}
