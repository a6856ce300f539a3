import type { AgentDetail } from '@hamlet/contract'

/** One link of the chain from "described" to "in the world", for people. `tone` is what its mark looks like. */
export interface ConditionWords { readonly type: string; readonly title: string; readonly text: string; readonly tone: 'good' | 'waiting' | 'bad' | 'info'; readonly since: string; readonly reason: string }

type Condition = AgentDetail['conditions'][number]

/** What a condition means when it holds and when it does not; Suspended and Quarantined are good when they do not. */
const MEANING: Readonly<Record<string, { readonly title: string; readonly holds: string; readonly fails: string; readonly wantedFalse?: true }>> = {
  Accepted: { title: 'Description', holds: 'The description is complete.', fails: 'The description cannot be used.' },
  Entitled: { title: 'Tier', holds: 'Its tier is known and it may run.', fails: 'No tier lets it run.' },
  Admitted: { title: 'Seat', holds: 'A seat is free for it.', fails: 'It waits for a seat.' },
  PodScheduled: { title: 'Node', holds: 'Its pod has a node.', fails: 'Its pod has no node yet.' },
  Connected: { title: 'Connection', holds: 'It is connected to the village.', fails: 'It is not connected.' },
  Ready: { title: 'In the village', holds: 'It lives in the village.', fails: 'It is not in the village now.' },
  Suspended: { title: 'Sleep', holds: 'It has been put to sleep.', fails: 'It is not suspended.', wantedFalse: true },
  Quarantined: { title: 'Quarantine', holds: 'An admin has set it aside.', fails: 'Nobody has set it aside.', wantedFalse: true },
  Resized: { title: 'Compute', holds: 'It has the compute of its tier.', fails: 'It does not have the compute of its tier yet.' },
}
const ORDER = Object.keys(MEANING)

/** Every condition in the order in which a person should read them, unknown ones last. */
export function conditionWords(conditions: readonly Condition[]): ConditionWords[] {
  const rank = (type: string): number => { const at = ORDER.indexOf(type); return at === -1 ? ORDER.length : at }
  return conditions.toSorted((left, right) => rank(left.type) - rank(right.type)).map(wordsOf)
}

function wordsOf(condition: Condition): ConditionWords {
  const { type, reason, last_transition_time: since } = condition
  return { type, title: MEANING[type]?.title ?? type, text: textOf(condition), tone: toneOf(condition), since, reason }
}

/** Where all is well our own words are shorter; where not, the operator's say what blocks. */
function textOf({ type, status, reason, message }: Condition): string {
  const meaning = MEANING[type]
  const asWanted = (status === 'True') !== (meaning?.wantedFalse ?? false)
  if (!asWanted && message !== '') return message
  if (status === 'Unknown') return 'Not known yet.'
  return (status === 'True' ? meaning?.holds : meaning?.fails) ?? reason
}

/** Reasons that are somebody's wish or a normal step, not a fault. */
const CALM: ReadonlySet<string> = new Set(['Asleep', 'Awake', 'Waiting', 'Starting', 'PodPending', 'WaitingForPredecessor', 'NotConnected', 'Terminating', 'NotQuarantined', 'Resizing', 'ResizeDeferred', 'ReplacementPending', 'LastKnown'])

function toneOf({ type, status, reason }: Condition): ConditionWords['tone'] {
  if (MEANING[type]?.wantedFalse === true) return status === 'False' ? 'good' : type === 'Suspended' ? 'info' : 'bad'
  if (status === 'True') return 'good'
  return status === 'Unknown' || CALM.has(reason) ? 'waiting' : 'bad'
}
