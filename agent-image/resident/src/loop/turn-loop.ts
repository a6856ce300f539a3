import type { Turn } from '@hamlet/contract';
import { backoff } from '@hamlet/core/backoff';
import { API_BACKOFF } from '../village/retry.ts';
import type { Command } from '../brain/decision.ts';
import type { TurnGate } from '../runs/turn-gate.ts';
import { recallMind } from './reflect.ts';
import { runTurn, type TurnPorts } from './turn.ts';
import type { EndReason, Inbox, Trigger } from './inbox.ts';
import type { Log } from '../process/json-log.ts';

/** Minimum pause between two turns, so that agents that wake each other do not spin. */
export const MIN_TURN_GAP_MS = 250;
/** Pause after speech, so that people can read it. */
export const SPEECH_GAP_MS = 3_000;
/** Maximum number of turns that wait to be recorded; the oldest are dropped, but the log contains all of them. */
export const MAX_UNRECORDED_TURNS = 32;

export interface LoopPorts extends TurnPorts {
  readonly inbox: Inbox;
  readonly turnGate: TurnGate;
  readonly log: Log;
  readonly rest: (ms: number) => Promise<void>;
  readonly random: () => number;
}

/** Runs turn after turn until the process must end; resolves with the reason. */
export async function runTurns(ports: LoopPorts): Promise<EndReason> {
  const { inbox, log, memory } = ports;
  const unrecorded: Turn[] = [];
  let mind = recallMind(memory);
  let trigger: Trigger = { kind: 'tick' };
  let failures = 0;
  while (trigger.kind !== 'ended') {
    const why = trigger;
    const before = mind;
    const outcome = await ports.turnGate.turn(() => runTurn(ports, why, before));
    if (outcome.kind === 'stale') return 'stale';
    if (outcome.kind === 'unreachable') {
      trigger = inbox.endedOr(trigger);
      if (trigger.kind === 'ended') break;
      failures += 1;
      log.warn('village_unreachable', { why: outcome.why, failures });
      await ports.rest(backoff(failures, API_BACKOFF, ports.random()));
      continue;
    }
    failures = 0;
    mind = outcome.mind;
    log.info('turn', outcome.turn);
    if ((await record(ports, unrecorded, outcome.turn)) === 'stale') return 'stale';
    // More news may follow the news that the agent has just answered.
    if (outcome.turn.acted['outcome'] === 'written') inbox.nudge();
    await ports.rest(restAfter(outcome.turn));
    trigger = await inbox.next(outcome.loopEveryMs);
  }
  return trigger.why;
}

export function restAfter({ decided, acted }: Turn): number {
  const command = decided['command'] as Command;
  if (command.kind === 'reply' || command.kind === 'post') return SPEECH_GAP_MS;
  const spoke = command.kind === 'answer' || (command.kind === 'act' && command.body.kind === 'talk');
  return spoke && acted['outcome'] === 'accepted' ? SPEECH_GAP_MS : MIN_TURN_GAP_MS;
}

/** Records the turn and earlier unrecorded ones, oldest first. Turns that the API cannot store wait for the next turn. */
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
