import type { z } from 'zod';
import { settle } from '../brain/decide.ts';
import type { Mind } from '../brain/mind.ts';
import { BoardMind, NEW_TO_THE_BOARD } from '../brain/board/board-mind.ts';
import { DayMind, NEW_DAY } from '../brain/mind.ts';
import type { Decision, Situation } from '../brain/situation.ts';
import { diaryEntry, Stay, stayAfter } from '../brain/stay.ts';
import { NEW_TO_TRADE, TradeMind } from '../brain/trade/trade-sight.ts';
import { DIARY, entityOf, stateOf } from '../memory/entity.ts';
import type { Entity } from '../memory/entity.ts';
import type { MemoryStore } from '../memory/memory-store.ts';
import type { Acted } from './act.ts';
import { happeningOf, placeOfTurn } from './happening.ts';

/** Names under which the memory holds what the brain needs after a restart. */
const PLAN = 'plan';
const HOME = 'home';
const BOARD = 'board';
const TRADE = 'trade';
const STAY = 'stay';
/** What the board may take in a moment although it does not now. */
const PASSING: ReadonlySet<string> = new Set(['board_rate_limited', 'unavailable']);

export interface Reflection {
  readonly mind: Mind;
  /** What goes to memory, in this order. */
  readonly entities: readonly Entity[];
  /** The entry that the diary gains: of the stay that this turn ended; null where it goes on. */
  readonly remembered: string | null;
  /** The stay that this turn belongs to. */
  readonly stay: Stay;
}

/** One turn, as it is reflected on. */
export interface LivedTurn {
  readonly decided: Decision;
  readonly acted: Acted;
  readonly turnId: string;
  /** The stay that the turn before belonged to. */
  readonly stay: Stay | null;
}

/** Learns from a turn: what the agent will think next, and what it will remember. Pure. */
export function reflect(situation: Situation, { decided, acted, turnId, stay: before }: LivedTurn): Reflection {
  const answered = {
    accepted: acted.outcome !== 'refused',
    final: acted.outcome === 'refused' && !PASSING.has(acted.code),
  };
  const mind = acted.outcome === 'unknown' ? unknownTo(situation, decided) : settle(situation, decided, answered);
  const { board, trade, ...day } = mind;
  const { day: date, minute } = situation;
  const turn = {
    turnId,
    clock: { day: date, minute },
    ...placeOfTurn(situation, decided, acted),
    happening: happeningOf(situation, decided, acted),
  };
  const { stay, ended } = stayAfter(before, turn);
  const remembered = ended === null ? null : diaryEntry(ended);
  const diary = ended === null || remembered === null ? [] : [entityOf(ended.id, DIARY, [remembered])];
  return {
    mind,
    remembered,
    stay,
    entities: [
      ...diary,
      entityOf(HOME, HOME, [situation.character.home]),
      stateOf(PLAN, day),
      stateOf(BOARD, board),
      stateOf(TRADE, trade),
      stateOf(STAY, stay),
    ],
  };
}

/** Nothing is learned where the village did not answer, save that money may have been spent: it is not spent twice. */
function unknownTo({ mind }: Situation, { after }: Decision): Mind {
  return { ...mind, trade: after.trade };
}

/** The stay that the last turn belonged to; null where there is none or it cannot be read. */
export function recallStay(memory: Pick<MemoryStore, 'recall'>): Stay | null {
  return recalled(memory, STAY, Stay);
}

/** The mind that the last turn left behind; a new one, or a new part of it, where there is none or it cannot be read. */
export function recallMind(memory: Pick<MemoryStore, 'recall'>): Mind {
  return {
    ...(recalled(memory, PLAN, DayMind) ?? NEW_DAY),
    board: recalled(memory, BOARD, BoardMind) ?? NEW_TO_THE_BOARD,
    trade: recalled(memory, TRADE, TradeMind) ?? NEW_TO_TRADE,
  };
}

function recalled<S extends z.ZodType>(
  memory: Pick<MemoryStore, 'recall'>,
  name: string,
  schema: S,
): z.output<S> | null {
  try {
    return schema.parse(JSON.parse(memory.recall(name)?.observations[0] ?? ''));
  } catch {
    return null;
  }
}
