import type { z } from 'zod';
import { settle } from '../brain/decide.ts';
import type { Mind } from '../brain/mind.ts';
import { BoardMind, NEW_TO_THE_BOARD } from '../brain/board/board-mind.ts';
import { DayMind, NEW_DAY } from '../brain/mind.ts';
import type { Decision, Situation } from '../brain/situation.ts';
import { DIARY, entityOf } from '../memory/entity.ts';
import type { Entity } from '../memory/entity.ts';
import type { MemoryStore } from '../memory/memory-store.ts';
import type { Acted } from './act.ts';

/** Names under which the memory holds what the brain needs after a restart. */
const PLAN = 'plan';
const HOME = 'home';
const BOARD = 'board';
/** What the board may take in a moment although it does not now. */
const PASSING: ReadonlySet<string> = new Set(['board_rate_limited', 'unavailable']);

export interface Reflection {
  readonly mind: Mind;
  /** What goes to memory, in this order. */
  readonly entities: readonly Entity[];
  /** The line of the diary, or null for a turn that is not worth one. */
  readonly remembered: string | null;
}

/** Learns from a turn: what the agent will think next, and what it will remember. Pure. */
export function reflect(situation: Situation, { decided, acted, turnId }: { decided: Decision; acted: Acted; turnId: string }): Reflection {
  const answered = { accepted: acted.outcome !== 'refused', final: acted.outcome === 'refused' && !PASSING.has(acted.code) };
  const mind = acted.outcome === 'unknown' ? situation.mind : settle(situation, decided, answered);
  const { board, ...day } = mind;
  const remembered = acted.outcome === 'none' ? null : `${timeInWords(situation)}: ${deedInWords(decided, acted)}`;
  const diary = remembered === null ? [] : [entityOf(turnId, DIARY, [remembered])];
  return { mind, remembered, entities: [...diary, entityOf(HOME, HOME, [situation.character.home]), entityOf(PLAN, PLAN, [JSON.stringify(day)]), entityOf(BOARD, BOARD, [JSON.stringify(board)])] };
}

/** The mind that the last turn left behind; a new one, or a new part of it, where there is none or it cannot be read. */
export function recallMind(memory: Pick<MemoryStore, 'recall'>): Mind {
  return { ...(recalled(memory, PLAN, DayMind) ?? NEW_DAY), board: recalled(memory, BOARD, BoardMind) ?? NEW_TO_THE_BOARD };
}

function recalled<S extends z.ZodType>(memory: Pick<MemoryStore, 'recall'>, name: string, schema: S): z.output<S> | null {
  try {
    return schema.parse(JSON.parse(memory.recall(name)?.observations[0] ?? ''));
  } catch {
    return null;
  }
}

function timeInWords({ day, minute }: Situation): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `Day ${day}, ${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

function deedInWords({ command, why, goal }: Decision, acted: Acted): string {
  const deed = command.kind === 'move' ? goal : wordsOf(command, acted);
  switch (acted.outcome) {
    case 'refused':
      return `${deed} was refused (${acted.code}). I tried because ${why}.`;
    case 'silent':
      return `I had no answer: ${acted.why}.`;
    case 'unknown':
      return `${deed}: I do not know whether it was done, the village did not answer.`;
    default:
      return `${deed}, because ${why}.`;
  }
}

function wordsOf(command: Exclude<Decision['command'], { kind: 'move' }>, acted: Acted): string {
  switch (command.kind) {
    case 'stay':
      return 'staying';
    case 'reply':
    case 'post':
      return 'text' in acted ? `I wrote on the board: “${acted.text.split('\n')[0] ?? ''}”` : 'writing on the board';
    case 'answer':
      return `${command.speaker} said “${command.prompt}”, I said “${'said' in acted ? acted.said : ''}”`;
    case 'act':
      return command.body.kind === 'talk' ? `I said “${command.body.text}”` : [command.body.kind, ...Object.values(command.body).slice(1)].join(' ');
  }
}
