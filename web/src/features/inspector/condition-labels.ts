import { type AgentDetail, PAST_TROUBLE, REASONS } from '@hamlet/contract';
import { capital } from '../../client/labels.ts';

export interface ConditionLabel {
  readonly type: string;
  readonly title: string;
  readonly text: string;
  readonly tone: 'good' | 'waiting' | 'bad' | 'info';
  readonly since: string;
  readonly reason: string;
  /** The contract's advice; null if the condition is as it should be, or if its reason is `Waiting`. */
  readonly advice: string | null;
}

type Condition = AgentDetail['conditions'][number];

/** The texts for True (`holds`) and other values (`fails`). `wantedFalse`: the condition should be False. */
const MEANING: Readonly<
  Record<
    string,
    { readonly title: string; readonly holds: string; readonly fails: string; readonly wantedFalse?: true }
  >
> = {
  Accepted: {
    title: 'Description',
    holds: 'Its custom resource is valid.',
    fails: 'Its custom resource is not valid.',
  },
  Entitled: { title: 'Tier', holds: 'Its tier is known and it may run.', fails: 'No tier lets it run.' },
  Admitted: { title: 'Seat', holds: 'A seat is free for it.', fails: 'It waits for a seat.' },
  PodScheduled: { title: 'Node', holds: 'Its pod has a node.', fails: 'Its pod has no node yet.' },
  Connected: { title: 'Connection', holds: 'It is connected to the village.', fails: 'It is not connected.' },
  Ready: { title: 'In the village', holds: 'It lives in the village.', fails: 'It is not in the village now.' },
  Suspended: { title: 'Sleep', holds: 'It has been put to sleep.', fails: 'It is not suspended.', wantedFalse: true },
  Quarantined: {
    title: 'Quarantine',
    holds: 'An admin has quarantined it.',
    fails: 'It is not quarantined.',
    wantedFalse: true,
  },
  UpToDate: { title: 'Version', holds: 'Its pod has the current version.', fails: 'Its pod has an older version.' },
  Resized: {
    title: 'Compute',
    holds: 'It has the compute of its tier.',
    fails: 'It does not have the compute of its tier yet.',
  },
  HandsReady: {
    title: 'Hands',
    holds: 'Its hands run.',
    fails: 'Its hands do not run: it cannot use their tools.',
  },
  CapabilitiesReady: {
    title: 'Capabilities',
    holds: 'It has all that its spec promises.',
    fails: 'It lacks something that its spec promises.',
  },
  RulesChecked: {
    title: 'Rules',
    holds: 'Its rules match the calls that their examples name.',
    fails: 'One of its rules is wrong: an example contradicts it, or it names an unknown tool.',
  },
};
const ORDER = Object.keys(MEANING);

/** All conditions in the order in which a person should read them; unknown ones last. */
export function conditionLabels(conditions: readonly Condition[]): ConditionLabel[] {
  const rank = (type: string): number => {
    const at = ORDER.indexOf(type);
    return at === -1 ? ORDER.length : at;
  };
  return conditions.toSorted((left, right) => rank(left.type) - rank(right.type)).map(wordsOf);
}

function wordsOf(condition: Condition): ConditionLabel {
  const { type, reason, last_transition_time: since } = condition;
  const advice = isAsWanted(condition) || reason === 'Waiting' ? null : adviceOf(reason);
  return {
    type,
    title: MEANING[type]?.title ?? type,
    text: textOf(condition),
    tone: toneOf(condition),
    since,
    reason,
    advice,
  };
}

/** Texts for people who have the buttons of the panel, in place of texts about fields of the spec. */
const WITH_BUTTONS: Readonly<Record<string, string>> = { Asleep: 'It is asleep. Awaken lets it run.' };

/** The text that a person reads for a reason and the operator's message. */
export const messageOf = ({ reason, message }: Pick<Condition, 'reason' | 'message'>): string =>
  WITH_BUTTONS[reason] ?? message;

/** The contract's advice, as in the docs and in kubectl; null for an unknown reason, and if the message has it. */
export function adviceOf(reason: string): string | null {
  if (reason in WITH_BUTTONS) return null;
  const advice = Object.entries(REASONS).find(([known]) => known === reason)?.[1];
  return advice === undefined ? null : `${capital(advice)}.`;
}

function isAsWanted({ type, status, reason }: Pick<Condition, 'type' | 'status' | 'reason'>): boolean {
  if (status === 'Unknown' || PAST_TROUBLE.has(reason)) return false;
  return (status === 'True') !== (MEANING[type]?.wantedFalse ?? false);
}

/** Our text if the condition is as it should be, otherwise the operator's message, which names the cause. */
function textOf({ type, status, reason, message }: Condition): string {
  const meaning = MEANING[type];
  if (!isAsWanted({ type, status, reason }) && message !== '') return messageOf({ reason, message });
  if (status === 'Unknown') return 'Not known yet.';
  return (status === 'True' ? meaning?.holds : meaning?.fails) ?? reason;
}

/** Reasons that are not faults: a person asked for the state, or it is a normal step. */
const CALM: ReadonlySet<string> = new Set([
  'Asleep',
  'Awake',
  'Waiting',
  'Starting',
  'PodPending',
  'WaitingForPredecessor',
  'NotConnected',
  'Terminating',
  'NotQuarantined',
  'Resizing',
  'ResizeDeferred',
  'ReplacementPending',
  'NoSeat',
  'NodeFull',
  'NodeShort',
  'GpuBooked',
  'SeatClearing',
  'Displaced',
  'HoldPending',
]);

function toneOf({ type, status, reason }: Condition): ConditionLabel['tone'] {
  if (MEANING[type]?.wantedFalse === true) return status === 'False' ? 'good' : type === 'Suspended' ? 'info' : 'bad';
  if (status === 'True') return PAST_TROUBLE.has(reason) ? 'waiting' : 'good';
  return status === 'Unknown' || CALM.has(reason) ? 'waiting' : 'bad';
}
