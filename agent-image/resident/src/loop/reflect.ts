import { readJson } from '@hamlet/core/read-json';
import type { z } from 'zod';
import type { Decision } from '../brain/decision.ts';
import { LifeMind, NEW_TO_LIFE } from '../brain/life/life-mind.ts';
import { BoardMind, DayMind, NEW_DAY, NEW_TO_THE_BOARD, NEW_TO_TRADE, TradeMind, type Mind } from '../brain/mind.ts';
import { settle } from '../brain/rules/decide.ts';
import type { Situation } from '../brain/situation.ts';
import { diaryEntry, Stay, stayAfter } from '../brain/stay.ts';
import { DIARY, entityOf, stateOf, type Entity } from '../memory/entity.ts';
import type { LifeStore } from '../memory/life-store.ts';
import type { Acted } from './act.ts';
import { diaryEventOf, placeOfTurn } from './diary-event.ts';

const PLAN = 'plan';
const HOME = 'home';
const BOARD = 'board';
const TRADE = 'trade';
const LIFE = 'life';
const STAY = 'stay';
const TEMPORARY: ReadonlySet<string> = new Set(['board_rate_limited', 'unavailable']);

export interface Reflection {
  readonly mind: Mind;
  readonly entities: readonly Entity[];
  readonly remembered: string | null;
  readonly stay: Stay;
}

export interface DecidedTurn {
  readonly decided: Decision;
  readonly acted: Acted;
  readonly turnId: string;
  readonly stay: Stay | null;
}

/** The agent's mind and memory after a turn. Pure. */
export function reflect(situation: Situation, { decided, acted, turnId, stay: before }: DecidedTurn): Reflection {
  const answered = {
    accepted: acted.outcome !== 'refused',
    final: acted.outcome === 'refused' && !TEMPORARY.has(acted.code),
  };
  const uncertain = { ...situation.mind, trade: decided.after.trade };
  const mind = acted.outcome === 'unknown' ? uncertain : settle(situation, decided, answered);
  const { board, trade, life, ...day } = mind;
  const { day: date, minute } = situation;
  const turn = {
    turnId,
    clock: { day: date, minute },
    ...placeOfTurn(situation, decided, acted),
    event: diaryEventOf(situation, decided, acted),
  };
  const { stay, ended } = stayAfter(before, turn);
  return {
    mind,
    remembered: ended === null ? null : diaryEntry(ended),
    stay,
    entities: [
      ...(ended === null ? [] : [entityOf(ended.id, DIARY, [diaryEntry(ended)])]),
      entityOf(HOME, HOME, [situation.character.home]),
      stateOf(PLAN, day),
      stateOf(BOARD, board),
      stateOf(TRADE, trade),
      ...(life === NEW_TO_LIFE ? [] : [stateOf(LIFE, life)]),
      stateOf(STAY, stay),
    ],
  };
}

/** The stay of the last turn; null if the memory has none, or it cannot be parsed. */
export const recallStay = (memory: Pick<LifeStore, 'recall'>): Stay | null => recalled(memory, STAY, Stay);

/** The mind after the last turn. A part that the memory lacks, or that cannot be parsed, starts empty. */
export function recallMind(memory: Pick<LifeStore, 'recall'>): Mind {
  return {
    ...(recalled(memory, PLAN, DayMind) ?? NEW_DAY),
    board: recalled(memory, BOARD, BoardMind) ?? NEW_TO_THE_BOARD,
    trade: recalled(memory, TRADE, TradeMind) ?? NEW_TO_TRADE,
    life: recalled(memory, LIFE, LifeMind) ?? NEW_TO_LIFE,
  };
}

function recalled<S extends z.ZodType>(memory: Pick<LifeStore, 'recall'>, name: string, schema: S): z.output<S> | null {
  return schema.safeParse(readJson(memory.recall(name)?.observations[0] ?? '')).data ?? null;
}
