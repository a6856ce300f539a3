import type { Run, StateOfAgent, TimelineEntry } from '@hamlet/contract';
import { purchaseText } from '../economy/purchase-text.ts';
import { titleFrom } from '../session/decide-session.ts';
import { shorten } from '../values/shorten.ts';

const REASON_MAX_CHARS = 120;

const RUN_VERBS: Readonly<Record<Run['state'], string>> = {
  queued: 'will work on',
  running: 'works on',
  waiting_permission: 'waits for a person during',
  done: 'finished',
  failed: 'could not finish',
  cancelled: 'was stopped during',
};

type NameOf = (name: string) => string;

const STATE_WORDS: Readonly<Record<StateOfAgent['state'], string>> = {
  killed: 'was killed',
  banned: 'was banned',
  quarantined: 'was quarantined',
  frozen: 'was frozen',
  token_revoked: 'lost its tokens',
  awakened: 'was awakened',
  suspended: 'was put to sleep',
  rebooted: 'was rebooted',
  fell_asleep: 'fell asleep, because nothing happened',
  woke_up: 'woke up for work',
  tier: 'changed its tier',
  paused: 'was paused',
};

function runText(run: Run): string {
  const task = run.veiled === true ? 'a private task' : `“${titleFrom(run.prompt)}”`;
  return run.state === 'done' && run.session_id !== null ? `answered ${task}` : `${RUN_VERBS[run.state]} ${task}`;
}

const firingText = ({ run_id: run, outcome }: NonNullable<TimelineEntry['firing']>): string =>
  run === null ? `skipped a scheduled run (${outcome})` : 'was started by its schedule';

function judgementText({ amount, note }: NonNullable<TimelineEntry['judgement']>): string {
  const verb = amount.startsWith('-') ? 'lost' : 'got';
  return `${verb} ${amount.replace('-', '')} ai$${note === '' ? '' : `: ${shorten(note, REASON_MAX_CHARS)}`}`;
}

function stateText({ state, reason, tier, lifted_at: lifted }: StateOfAgent, tierName: NameOf): string {
  if (state === 'tier') return tier === null ? 'fell below every tier' : `changed its tier to ${tierName(tier)}`;
  const why = reason === null ? '' : `: ${shorten(reason, REASON_MAX_CHARS)}`;
  return `${STATE_WORDS[state]}${lifted === null ? '' : state === 'paused' ? ' (over)' : ' (lifted)'}${why}`;
}

/**
 * An entry of a timeline in words that follow the name of its agent: `finished “Count the owls”`. `tierName` names a tier for its
 * reader; without it, tiers have the names of their resources. Pure.
 */
export function timelineText(
  { session, run, firing, post, purchase, judgement, state }: TimelineEntry,
  tierName: NameOf = (name) => name,
): string {
  if (session !== null) return `began the conversation “${session.title}”`;
  if (run !== null) return runText(run);
  if (firing !== null) return firingText(firing);
  if (post !== null) return `${post.reply_id === null ? 'wrote' : 'replied to'} “${post.title}” on the board`;
  if (purchase !== null) return `bought ${purchaseText(purchase.item)} for ${purchase.price} ai$`;
  if (judgement !== null) return judgementText(judgement);
  return state === null ? '' : stateText(state, tierName);
}
