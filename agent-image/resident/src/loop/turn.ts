import type { AgentConfig, AgentDetail, Turn, Wake } from '@hamlet/contract';
import type { BoardSight } from '../brain/board/board-sight.ts';
import { decide } from '../brain/decide.ts';
import type { Mind } from '../brain/mind.ts';
import { perceive } from '../brain/perceive.ts';
import type { Situation } from '../brain/situation.ts';
import { diaryEntry } from '../brain/stay.ts';
import type { Stay } from '../brain/stay.ts';
import type { Entity } from '../memory/entity.ts';
import type { MemoryStore } from '../memory/memory-store.ts';
import type { Answer, Village } from '../village/village.ts';
import { act } from './act.ts';
import type { Attention } from './attention.ts';
import { lookAtBoard } from './look-at-board.ts';
import { isTimeToTrade, lookAtTrade } from './look-at-trade.ts';
import type { Desk } from './look-at-board.ts';
import type { Trigger } from './inbox.ts';
import { recallStay, reflect } from './reflect.ts';
import type { Voice } from './voice.ts';

export interface TurnPorts {
  readonly village: Village;
  readonly voice: Voice;
  readonly memory: MemoryStore;
  readonly cycle: number;
  /** What else the agent is at; nothing where it is left out. */
  readonly attention?: Pick<Attention, 'work'>;
  /** What it reads and writes the board with; it leaves the board alone where that is left out. */
  readonly desk?: Desk;
  /** A new UUID. */
  readonly newId: () => string;
}

/** What came of one turn. `loopEveryMs` is how long the Agent wants to wait for the next. */
export type Lived =
  | { readonly kind: 'lived'; readonly turn: Turn; readonly mind: Mind; readonly loopEveryMs: number }
  | { readonly kind: 'stale' }
  | { readonly kind: 'unreachable'; readonly why: string };

type Seen = { readonly situation: Situation; readonly config: AgentConfig; readonly standing: AgentDetail };

/** Lives one turn: perceive, decide, act, reflect. What was remembered is on the disk when it answers. */
export async function liveTurn(
  ports: TurnPorts,
  trigger: Exclude<Trigger, { kind: 'ended' }>,
  mind: Mind,
): Promise<Lived> {
  const seen = await look(ports, trigger, mind);
  if (seen.kind !== 'ok')
    return seen.kind === 'stale'
      ? seen
      : { kind: 'unreachable', why: seen.kind === 'refused' ? seen.detail : seen.why };
  const { situation, config, standing } = seen.value;
  const turnId = ports.newId();
  const decided = decide(situation);
  const acted = await act({ ...ports, repository: config.repository }, situation, { decided, key: `act-${turnId}` });
  if (acted.outcome === 'stale') return { kind: 'stale' };
  const reflection = reflect(situation, { decided, acted, turnId, stay: recallStay(ports.memory) });
  const forgot = rememberNews(ports.memory, reflection.entities);
  const { command, goal, why } = decided;
  const turn: Turn = {
    turn_id: turnId,
    cycle: ports.cycle,
    ...(trigger.kind === 'wake' ? { trigger: 'wake', wake: trigger.wake } : { trigger: 'tick' }),
    perceived: perceivedOf(situation, standing),
    decided: { command, goal, why, ...planOf(situation) },
    acted,
    reflected: {
      remembered: reflection.remembered,
      stay: storyOf(reflection.stay),
      goal: reflection.mind.goal,
      visited: reflection.mind.visited,
      ...forgot,
    },
  };
  return { kind: 'lived', turn, mind: reflection.mind, loopEveryMs: config.loop_every_ms };
}

/** The agent behind a wake: it counts wherever it has gone meanwhile. */
function speakerOf(wake: Wake | null): string | undefined {
  const from = wake?.detail['from'];
  return typeof from === 'string' ? from : undefined;
}

/** Asks for all that a turn rests on at once. */
async function look({ village, attention, desk }: TurnPorts, trigger: Trigger, mind: Mind): Promise<Answer<Seen>> {
  const wake = trigger.kind === 'wake' ? trigger.wake : null;
  const [world, standing, config] = await Promise.all([
    village.around(speakerOf(wake)),
    village.standing(),
    village.config(),
  ]);
  if (world.kind !== 'ok') return world;
  if (standing.kind !== 'ok') return standing;
  if (config.kind !== 'ok') return config;
  const board =
    desk === undefined
      ? null
      : await lookAtBoard(
          { ...desk, village },
          { standing: standing.value, config: config.value, board: mind.board, withNews: wake === null },
        );
  const situation = perceive({
    world: world.value,
    standing: standing.value,
    config: config.value,
    wake,
    mind,
    board,
    work: attention?.work ?? null,
  });
  if (situation === null) return { kind: 'unreachable', why: 'the agent is not in the world yet' };
  return {
    kind: 'ok',
    value: {
      situation: await withTrade(village, situation, config.value),
      config: config.value,
      standing: standing.value,
    },
  };
}

/** Looks at prices and auctions when it is time to. */
async function withTrade(village: Village, situation: Situation, config: AgentConfig): Promise<Situation> {
  const { mind, tick } = situation;
  if (!isTimeToTrade(situation)) return situation;
  const trade = await lookAtTrade(village, situation, config);
  return { ...situation, trade, mind: { ...mind, trade: { ...mind.trade, lookedAt: tick } } };
}

/** The plan of the tier, where it is known. */
function planOf({ board }: Situation): object {
  return board === null || board.plan === null ? {} : { plan: board.plan };
}

function perceivedOf(
  { tick, day, minute, phase, self, neighbours, items, board }: Situation,
  standing: AgentDetail,
): Turn['perceived'] {
  const { position, moving_to, landmark_id, zone_id, activity, inventory } = self;
  return {
    world: {
      tick,
      time: { day, minute, phase },
      self: { position, moving_to, landmark_id, zone_id, activity, inventory },
      neighbours: neighbours.map((agent) => ({ agent_id: agent.agent_id, position: agent.position })),
      items: items.map(({ item_id, position: at }) => ({ item_id, position: at })),
    },
    standing: {
      tier: standing.tier,
      power: standing.power,
      cycle: standing.cycle,
      ready: standing.why.ready,
      reason: standing.why.reason,
    },
    ...(board === null ? {} : { board: boardInWords(board) }),
  };
}

/** What of the board entered the decision: ids and numbers, the texts are on the board. */
function boardInWords({ news, judged, needs }: BoardSight): object {
  return {
    news: news.map(({ post, reply, why, answered }) => ({
      post_id: post.post_id,
      reply_id: reply?.reply_id ?? null,
      why,
      answered,
    })),
    judged: judged.map(({ entry }) => ({
      ledger_entry_id: entry.ledger_entry_id,
      reason: entry.reason,
      amount: entry.amount,
    })),
    needs: needs.map(({ subject }) => subject),
  };
}

/** The stay that a turn belongs to, and what the diary would say of it by now: turns of one id are one entry. */
function storyOf(stay: Stay): object {
  return { id: stay.id, place: stay.place, name: stay.name, entry: diaryEntry(stay) };
}

/** Leaves out what the memory holds already in the same words. A full disk costs the memory, not the life. */
function rememberNews(memory: MemoryStore, entities: readonly Entity[]): { memory_error?: string } {
  const news = entities.filter(
    ({ name, observations }) => JSON.stringify(memory.recall(name)?.observations) !== JSON.stringify(observations),
  );
  if (news.length === 0) return {};
  try {
    memory.remember(...news);
    return {};
  } catch (error) {
    return { memory_error: error instanceof Error ? error.message : String(error) };
  }
}
