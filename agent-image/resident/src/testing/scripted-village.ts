import type { ActionBody, MoveBody, Turn } from '@hamlet/contract';
import type { Answer, Village, WakeEvent } from '../village/village.ts';
import { aConfig, aStanding, aWorld } from './a-village.ts';

type Question = 'config' | 'world' | 'standing' | 'move' | 'act' | 'record' | 'follow';

/** A village that answers what a test tells it to, keeps what it was asked, and lets the test send wakes. */
export interface ScriptedVillage extends Village {
  /** The next answers to a question, before the usual one. */
  readonly script: Partial<Record<Question, Answer<never>[]>>;
  readonly commands: (MoveBody | ActionBody)[];
  readonly keys: string[];
  readonly turns: Turn[];
  readonly followedAfter: (number | null)[];
  /** Sends an event over the open stream. */
  send(event: WakeEvent): void;
  /** Ends the open stream with this answer. */
  hangUp(answer: Answer<null>): void;
  /** Called at each turn recorded. */
  onTurn: (turn: Turn, count: number) => void;
}

export const DOWN: Answer<never> = { kind: 'unreachable', why: 'connection refused' };
export const STALE: Answer<never> = { kind: 'stale' };
export const ok = <T>(value: T): Answer<T> => ({ kind: 'ok', value });

export function scriptedVillage(): ScriptedVillage {
  const script: ScriptedVillage['script'] = {};
  const commands: (MoveBody | ActionBody)[] = [];
  const keys: string[] = [];
  const turns: Turn[] = [];
  const followedAfter: (number | null)[] = [];
  let send: (event: WakeEvent) => void = () => {};
  let hangUp: (answer: Answer<null>) => void = () => {};
  const scripted = (question: Question) => script[question]?.shift();
  const doing = async <T>(question: 'move' | 'act', body: MoveBody | ActionBody, { key, value }: { key: string; value: T }) => {
    commands.push(body);
    keys.push(key);
    return scripted(question) ?? ok(value);
  };

  const village: ScriptedVillage = {
    script,
    commands,
    keys,
    turns,
    followedAfter,
    onTurn: () => {},
    send: (event) => send(event),
    hangUp: (answer) => hangUp(answer),
    config: async () => scripted('config') ?? ok(aConfig()),
    world: async () => scripted('world') ?? ok(aWorld()),
    standing: async () => scripted('standing') ?? ok(aStanding()),
    move: (body, key) => doing('move', body, { key, value: { accepted_seq: 2, from: { x: 0, y: 0 }, to: { x: 1, y: 1 }, start_tick: 1, arrives_tick: 9, path_tiles: 2 } }),
    act: (body, key) =>
      doing('act', body, { key, value: { accepted_seq: 3, durable_seq: 3, event: { kind: 'emote', seq: 3, tick: 1, agent_id: 'ada', emote: 'smile' } } }),
    record: async (turn) => {
      const answer = scripted('record');
      if (answer !== undefined) return answer;
      turns.push(turn);
      village.onTurn(turn, turns.length);
      return ok({ turn_id: turn.turn_id });
    },
    follow: (after, onEvent) => {
      followedAfter.push(after);
      const answer = scripted('follow');
      if (answer !== undefined) return Promise.resolve(answer);
      send = onEvent;
      const { promise, resolve } = Promise.withResolvers<Answer<null>>();
      hangUp = resolve;
      return promise;
    },
  };
  return village;
}
