import type { AgentConfig, AgentDetail, Turn } from '@hamlet/contract';
import type { Decision } from '../brain/decision.ts';
import { planInWords, type Thought } from '../brain/life/life-mind.ts';
import type { BoardMind, Mind } from '../brain/mind.ts';
import { decide } from '../brain/rules/decide.ts';
import { wordOf, type BoardSight, type Judged, type Situation } from '../brain/situation.ts';
import { diaryEntry } from '../brain/stay.ts';
import { DIARY, type Entity } from '../memory/entity.ts';
import type { LifeStore } from '../memory/life-store.ts';
import type { TurnGate } from '../runs/turn-gate.ts';
import type { Voice } from '../runtime/voice.ts';
import type { Answer, Village } from '../village/village.ts';
import { act, type Aside } from './act.ts';
import type { BoardKit } from './board-kit.ts';
import type { Trigger } from './inbox.ts';
import { isTimeToTrade, lookAtTrade } from './look-at-trade.ts';
import { perceive } from './perceive.ts';
import { recallStay, reflect } from './reflect.ts';
import type { Thinker } from './thinker.ts';

export interface TurnPorts {
  readonly village: Village;
  readonly voice: Voice;
  readonly memory: LifeStore;
  readonly cycle: number;
  readonly turnGate?: Pick<TurnGate, 'work'>;
  readonly boardKit?: BoardKit;
  /** Without it the agent gives no answer that takes too long for a turn. */
  readonly aside?: Aside;
  readonly thinker?: Thinker;
  /** Keeps an entry of the diary in the long memory. Never throws. */
  readonly keepEntry?: (entry: Entity) => void;
  readonly newId: () => string;
}

export type TurnOutcome =
  | { readonly kind: 'done'; readonly turn: Turn; readonly mind: Mind; readonly loopEveryMs: number }
  | { readonly kind: 'stale' }
  | { readonly kind: 'unreachable'; readonly why: string };

type Seen = { readonly situation: Situation; readonly config: AgentConfig; readonly standing: AgentDetail };

/** Runs one turn: perceive, decide, act, reflect. Resolves when the memory is on disk. */
export async function runTurn(
  ports: TurnPorts,
  trigger: Exclude<Trigger, { kind: 'ended' }>,
  mind: Mind,
): Promise<TurnOutcome> {
  const seen = await look(ports, trigger, mind);
  if (seen.kind !== 'ok')
    return seen.kind === 'stale'
      ? seen
      : { kind: 'unreachable', why: seen.kind === 'refused' ? seen.detail : seen.why };
  const { situation, config, standing } = seen.value;
  const turnId = ports.newId();
  const decided = decide(situation);
  // An agent that sets out decides again on arrival.
  if (decided.command.kind !== 'move') ports.thinker?.consider({ ...situation, mind: decided.after });
  const acted = await act({ ...ports, config }, situation, { decided, key: `act-${turnId}` });
  if (acted.outcome === 'stale') return { kind: 'stale' };
  const reflection = reflect(situation, { decided, acted, turnId, stay: recallStay(ports.memory) });
  const failure = rememberChanges(ports.memory, reflection.entities);
  keepDiary(ports, reflection.entities);
  const { command, goal, why } = decided;
  const { stay } = reflection;
  const turn: Turn = {
    turn_id: turnId,
    cycle: ports.cycle,
    ...(trigger.kind === 'wake' ? { trigger: 'wake', wake: trigger.wake } : { trigger: 'tick' }),
    perceived: perceivedOf(situation, standing),
    decided: { command, goal, why, ...planIn(situation), ...choiceIn(situation, decided) },
    acted,
    reflected: {
      remembered: reflection.remembered,
      stay: { id: stay.id, place: stay.place, name: stay.name, entry: diaryEntry(stay) },
      goal: reflection.mind.goal,
      visited: reflection.mind.visited,
      ...failure,
    },
  };
  return { kind: 'done', turn, mind: reflection.mind, loopEveryMs: config.loop_every_ms };
}

async function look(ports: TurnPorts, trigger: Trigger, mind: Mind): Promise<Answer<Seen>> {
  const { village, boardKit } = ports;
  const wake = trigger.kind === 'wake' ? trigger.wake : null;
  const [world, standing, config] = await Promise.all([
    // The view includes the agent that caused the wake, wherever it is now.
    village.around(wake === null ? undefined : wordOf(wake, 'from')),
    village.standing(),
    village.config(),
  ]);
  if (world.kind !== 'ok') return world;
  if (standing.kind !== 'ok') return standing;
  if (config.kind !== 'ok') return config;
  const known = { standing: standing.value, config: config.value };
  const from = { ...known, board: mind.board, withNews: wake === null };
  const board = boardKit === undefined ? null : await lookAtBoard({ ...boardKit, village }, from);
  const situation = perceive({ ...known, world: world.value, wake, mind, board, ...heldNow(ports) });
  if (situation === null) return { kind: 'unreachable', why: 'the agent is not in the world yet' };
  return { kind: 'ok', value: { ...known, situation: await withTrade(village, situation, config.value) } };
}

function heldNow({ turnGate, thinker }: TurnPorts): Pick<Situation, 'work' | 'thought'> {
  return { work: turnGate?.work ?? null, thought: thinker?.take() ?? null };
}

async function withTrade(village: Village, situation: Situation, config: AgentConfig): Promise<Situation> {
  const { mind, tick } = situation;
  if (!isTimeToTrade(situation)) return situation;
  const trade = await lookAtTrade(village, situation, config);
  return { ...situation, trade, mind: { ...mind, trade: { ...mind.trade, lookedAt: tick } } };
}

const planIn = ({ board }: Situation): object => (board === null || board.plan === null ? {} : { plan: board.plan });

/** The decision or line of a model that this turn follows: its option, the purpose that groups acts, and any new plan for the day. */
function choiceIn({ thought }: Situation, { after, why, goal }: Decision): object {
  const act = thought === null ? null : actOf(thought, goal);
  if (thought !== null && act?.why === why)
    return { choice: { ...act.choice, model: thought.model, tokens: thought.tokens } };
  const { intent } = after.life;
  return intent === null || intent.why !== why ? {} : { choice: { option: intent.option, purpose: intent.purpose } };
}

function actOf(thought: Thought, goal: string): { readonly why: string; readonly choice: object } | null {
  if (thought.kind === 'line')
    return thought.line && { why: thought.line.why, choice: { option: `talk:${thought.to}`, purpose: goal } };
  if (thought.kind === 'facts' || thought.chosen === null) return null;
  const { why, option, purpose, plan } = thought.chosen;
  return { why, choice: { option, purpose, ...(plan === null ? {} : { plan: planInWords(plan) }) } };
}

function perceivedOf(
  { tick, day, minute, phase, self, neighbours, items, board }: Situation,
  { tier, power, cycle, why }: AgentDetail,
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
    standing: { tier, power, cycle, ready: why.ready, reason: why.reason },
    ...(board === null ? {} : { board: boardOf(board) }),
  };
}

function boardOf({ news, judged, requests }: BoardSight): object {
  return {
    news: news.map(({ post: { post_id }, reply, why, answered }) => {
      return { post_id, reply_id: reply?.reply_id ?? null, why, answered };
    }),
    judged: judged.map(({ entry: { ledger_entry_id, reason, amount } }) => ({ ledger_entry_id, reason, amount })),
    needs: requests.map(({ subject }) => subject),
  };
}

function keepDiary({ keepEntry = () => {} }: Pick<TurnPorts, 'keepEntry'>, entities: readonly Entity[]): void {
  for (const entity of entities) if (entity.entityType === DIARY) keepEntry(entity);
}

function rememberChanges(memory: LifeStore, entities: readonly Entity[]): { memory_error?: string } {
  const changed = entities.filter(
    ({ name, observations }) => JSON.stringify(memory.recall(name)?.observations) !== JSON.stringify(observations),
  );
  if (changed.length === 0) return {};
  try {
    memory.remember(...changed);
    return {};
  } catch (error) {
    return { memory_error: error instanceof Error ? error.message : String(error) };
  }
}

interface LookFrom {
  readonly standing: Pick<AgentDetail, 'balance'>;
  readonly config: AgentConfig;
  readonly board: BoardMind;
  readonly withNews: boolean;
}

/** Reads the board, the account and the resources of the agent. A later turn repeats failed reads. */
async function lookAtBoard(
  { village, requests, planner }: Pick<BoardKit, 'requests' | 'planner'> & { readonly village: Village },
  from: LookFrom,
): Promise<BoardSight> {
  const { config, board, withNews } = from;
  const [page, judged] = await Promise.all([withNews ? village.news(board.after) : null, judgedSince(village, from)]);
  const read = page?.kind === 'ok' ? page.value : null;
  return {
    news: read?.news ?? [],
    nextAfter: read?.next_after ?? null,
    ...judged,
    requests: requests.list(),
    plan: planner.look(config),
  };
}

/** Rewards and penalties since the last read, oldest first, and the newest entry. The first read only stores the newest entry. */
async function judgedSince(
  village: Village,
  { standing: { balance }, board }: LookFrom,
): Promise<Pick<BoardSight, 'judged' | 'entry' | 'balance'>> {
  const unchanged = { judged: [], entry: board.entry, balance: board.balance };
  if (balance === null || balance === board.balance) return unchanged;
  const answer = await village.ledger();
  if (answer.kind !== 'ok') return unchanged;
  const since = board.entry ?? Infinity;
  const entries = answer.value
    .filter(({ version, reason }) => version > since && (reason === 'reward' || reason === 'penalty'))
    .toReversed();
  const judged = await Promise.all(
    entries.map(async (entry): Promise<Judged> => ({ entry, post: await postOf(village, entry.related_post_id) })),
  );
  return { judged, entry: answer.value[0]?.version ?? 0, balance };
}

async function postOf(village: Village, postId: string | null): Promise<Judged['post']> {
  const answer = postId === null ? null : await village.post(postId);
  return answer?.kind === 'ok' ? { postId: answer.value.post_id, title: answer.value.title } : null;
}
