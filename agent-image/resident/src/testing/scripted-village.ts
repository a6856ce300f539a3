import type { ActionBody, MoveBody, Run, RunStep, Turn } from '@hamlet/contract';
import type { Answer, RunEnd, Village, WakeEvent } from '../village/village.ts';
import { aDesk, deskQuestions, type TestDesk } from './a-board.ts';
import { aMarket, marketQuestions, type TestMarket } from './a-market.ts';
import { aConfig, aStanding, aWorld } from './a-village.ts';

type Question =
  | 'config'
  | 'world'
  | 'standing'
  | 'move'
  | 'act'
  | 'record'
  | 'follow'
  | 'nextRun'
  | 'startRun'
  | 'noteStep'
  | 'renewRun'
  | 'settleRun';

/** A village with scripted answers, which records requests and lets the test send wakes. */
export interface ScriptedVillage extends Village {
  /** Answers that replace the usual ones, next first, by question. */
  readonly script: Partial<Record<Question, Answer<never>[]>>;
  readonly commands: (MoveBody | ActionBody)[];
  readonly keys: string[];
  readonly turns: Turn[];
  readonly followedAfter: (number | null)[];
  /** Runs that wait, oldest first. The first one stays the next run until it is settled. */
  readonly runs: Run[];
  readonly steps: RunStep[];
  readonly settled: RunEnd[];
  readonly desk: TestDesk;
  readonly market: TestMarket;
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

const BUDGETS = { steps: 100, tokens: 100_000, money: '1', timeMs: 3_600_000, idleCalls: 10 };

type Scripted = (question: Question) => Answer<never> | undefined;

interface KeptRuns {
  readonly runs: Run[];
  readonly steps: RunStep[];
  readonly settled: RunEnd[];
}

const STARTED = {
  permissions: [],
  policy: null,
  budgets: BUDGETS,
  session: null,
  repository: null,
  author: null,
  offer: null,
};

function runQuestions(
  { runs, steps, settled }: KeptRuns,
  scripted: Scripted,
): Pick<Village, 'nextRun' | 'startRun' | 'noteStep' | 'renewRun' | 'settleRun'> {
  return {
    nextRun: async (lane) => scripted('nextRun') ?? ok(lane === 'task' ? (runs[0] ?? null) : null),
    startRun: async (runId) => {
      const run = runs.find(({ run_id }) => run_id === runId);
      return (
        scripted('startRun') ??
        (run === undefined
          ? { kind: 'refused', code: 'no_such_run', detail: 'none' }
          : ok({ ...STARTED, run, steps: [...steps] }))
      );
    },
    noteStep: async (_runId, _claim, step) => {
      const answer = scripted('noteStep');
      if (answer !== undefined) return answer;
      steps.push(step);
      return ok(null);
    },
    renewRun: async () => scripted('renewRun') ?? ok(null),
    settleRun: async (_runId, end) => {
      const answer = scripted('settleRun');
      if (answer !== undefined) return answer;
      settled.push(end);
      runs.shift();
      return ok(null);
    },
  };
}

/** Moves and acts, recorded with their arguments. */
function bodyQuestions(
  { commands, keys }: Pick<ScriptedVillage, 'commands' | 'keys'>,
  scripted: Scripted,
): Pick<Village, 'move' | 'act'> {
  const doing = async <T>(
    question: 'move' | 'act',
    body: MoveBody | ActionBody,
    { key, value }: { key: string; value: T },
  ) => {
    commands.push(body);
    keys.push(key);
    return scripted(question) ?? ok(value);
  };
  return {
    move: (body, key) =>
      doing('move', body, {
        key,
        value: {
          accepted_seq: 2,
          from: { x: 0, y: 0 },
          to: { x: 1, y: 1 },
          start_tick: 1,
          arrives_tick: 9,
          path_tiles: 2,
        },
      }),
    act: (body, key) =>
      doing('act', body, {
        key,
        value: {
          accepted_seq: 3,
          durable_seq: 3,
          event: { kind: 'emote', seq: 3, tick: 1, agent_id: 'ada', emote: 'smile' },
        },
      }),
  };
}

/** The stream of wakes, which the test controls. */
function wakeStream(
  followedAfter: (number | null)[],
  scripted: Scripted,
): Pick<ScriptedVillage, 'send' | 'hangUp' | 'follow'> {
  let send: (event: WakeEvent) => void = () => {};
  let hangUp: (answer: Answer<null>) => void = () => {};
  return {
    send: (event) => send(event),
    hangUp: (answer) => hangUp(answer),
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
}

export function scriptedVillage(): ScriptedVillage {
  const script: ScriptedVillage['script'] = {};
  const desk = aDesk();
  const market = aMarket();
  const commands: (MoveBody | ActionBody)[] = [];
  const keys: string[] = [];
  const turns: Turn[] = [];
  const followedAfter: (number | null)[] = [];
  const kept: KeptRuns = { runs: [], steps: [], settled: [] };
  const scripted = (question: Question) => script[question]?.shift();

  const village: ScriptedVillage = {
    script,
    commands,
    keys,
    turns,
    followedAfter,
    ...kept,
    onTurn: () => {},
    config: async () => scripted('config') ?? ok(aConfig()),
    paidTime: async () => ok({ paid_until: null, now: '2026-01-01T00:00:00Z' }),
    world: async () => scripted('world') ?? ok(aWorld()),
    // Everything in a scripted village is near the agent.
    around: () => village.world(),
    standing: async () => scripted('standing') ?? ok(aStanding()),
    record: async (turn) => {
      const answer = scripted('record');
      if (answer !== undefined) return answer;
      turns.push(turn);
      village.onTurn(turn, turns.length);
      return ok({ turn_id: turn.turn_id });
    },
    desk,
    market,
    ...deskQuestions(desk),
    ...marketQuestions(market),
    ...runQuestions(kept, scripted),
    ...bodyQuestions({ commands, keys }, scripted),
    ...wakeStream(followedAfter, scripted),
  };
  return village;
}
