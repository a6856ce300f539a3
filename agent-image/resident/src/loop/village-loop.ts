import type { Turn } from '@hamlet/contract';
import { backoffMs } from '../backoff.ts';
import type { Command } from '../brain/situation.ts';
import type { Attention } from './attention.ts';
import { recallMind } from './reflect.ts';
import { liveTurn } from './turn.ts';
import type { TurnPorts } from './turn.ts';
import type { EndReason, Inbox, Trigger } from './inbox.ts';
import type { Log } from '../json-log.ts';

/** Between two turns at least, however many wakes wait: two that wake each other do not spin. */
export const MIN_TURN_GAP_MS = 250;
/** After words: time for others to read them, before this agent says or does more. */
export const SPEECH_GAP_MS = 3_000;
/** Turns whose record the api did not take; the oldest are dropped, the log has them all. */
export const MAX_UNRECORDED_TURNS = 32;

export interface LoopPorts extends TurnPorts {
  readonly inbox: Inbox;
  readonly attention: Attention;
  readonly log: Log;
  readonly rest: (ms: number) => Promise<void>;
  readonly dice: () => number;
}

/** Lives turn after turn until a newer cycle has begun or the process is told to end; answers which. */
export async function live(ports: LoopPorts): Promise<EndReason> {
  const { inbox, log, memory } = ports;
  const unrecorded: Turn[] = [];
  let mind = recallMind(memory);
  let trigger: Trigger = { kind: 'tick' };
  let failures = 0;
  while (trigger.kind !== 'ended') {
    const why = trigger;
    const before = mind;
    const lived = await ports.attention.turn(() => liveTurn(ports, why, before));
    if (lived.kind === 'stale') return 'stale';
    if (lived.kind === 'unreachable') {
      trigger = inbox.endedOr(trigger);
      if (trigger.kind === 'ended') break;
      failures += 1;
      log.warn('village_unreachable', { why: lived.why, failures });
      await ports.rest(backoffMs(failures, ports.dice()));
      continue;
    }
    failures = 0;
    mind = lived.mind;
    log.info('turn', lived.turn);
    if ((await record(ports, unrecorded, lived.turn)) === 'stale') return 'stale';
    // Who has just written may have more to read: the next turn need not wait.
    if (lived.turn.acted['outcome'] === 'written') inbox.nudge();
    await ports.rest(restAfter(lived.turn));
    trigger = await inbox.next(lived.loopEveryMs);
  }
  return trigger.why;
}

/** How long a turn keeps the agent from the next, in milliseconds. */
export function restAfter({ decided, acted }: Turn): number {
  const command = decided['command'] as Command;
  if (command.kind === 'reply' || command.kind === 'post') return SPEECH_GAP_MS;
  const spoke = command.kind === 'answer' || (command.kind === 'act' && command.body.kind === 'talk');
  return spoke && acted['outcome'] === 'accepted' ? SPEECH_GAP_MS : MIN_TURN_GAP_MS;
}

/** Sends the turn and those that wait, oldest first; what the api cannot take now waits for the next turn. */
async function record({ village, log }: LoopPorts, unrecorded: Turn[], turn: Turn): Promise<'stale' | 'done'> {
  unrecorded.push(turn);
  if (unrecorded.length > MAX_UNRECORDED_TURNS) unrecorded.shift();
  for (let next = unrecorded[0]; next !== undefined; next = unrecorded[0]) {
    const answer = await village.record(next);
    if (answer.kind === 'stale') return 'stale';
    if (answer.kind === 'unreachable') {
      log.warn('turn_unrecorded', { why: answer.why, waiting: unrecorded.length });
      return 'done';
    }
    if (answer.kind === 'refused')
      log.warn('turn_refused', { turn_id: next.turn_id, code: answer.code, detail: answer.detail });
    unrecorded.shift();
  }
  return 'done';
}
