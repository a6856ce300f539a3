import type { AgentConfig, AgentDetail, AgentView, Wake, WorldView } from '@hamlet/contract';
import { compareText } from '@hamlet/core/compare-text';
import { wantsReply } from '../brain/board/may-reply.ts';
import { doingHere } from '../brain/doing.ts';
import { lifeOnDay, type LifeMind, type Thought } from '../brain/life/life-mind.ts';
import { withSpokenWords, withLessons, withNews, withThought } from '../brain/life/learn.ts';
import { talksNow } from '../brain/life/talk.ts';
import { onDay, type BoardMind, type Mind } from '../brain/mind.ts';
import { PERCEPTION_TILES, tilesBetween, type BoardSight, type LyingItem, type Situation } from '../brain/situation.ts';
import { modelOf } from '../runtime/runtime-pool.ts';

export const MAX_NEIGHBOURS = 12;
export const MAX_ITEMS = 12;

export interface Perception {
  readonly world: WorldView;
  readonly standing: AgentDetail;
  readonly config: AgentConfig;
  readonly wake: Wake | null;
  readonly mind: Mind;
  readonly board?: BoardSight | null;
  readonly work?: string | null;
  readonly thought?: Thought | null;
}

export function perceive(perception: Perception): Situation | null {
  const { world, standing, config, wake, mind, board = null, work = null, thought = null } = perception;
  const self = world.agents.find((agent) => agent.agent_id === config.agent_id);
  if (self === undefined) return null;
  const seen: Situation = {
    tick: world.tick,
    ...world.time,
    self,
    neighbours: neighboursOf(self, world.agents),
    agentIds: new Set(world.agents.map(({ agent_id }) => agent_id)),
    items: itemsNear(self.position, world),
    landmarks: world.landmarks,
    wake,
    character: {
      agentId: config.agent_id,
      seed: config.seed,
      persona: Object.values(config.persona).join('\n').trim(),
      home: self.home,
      tier: standing.tier,
    },
    mind: { ...onDay(mind, world.time.day), goal: doingHere(self, world.landmarks) ?? mind.goal },
    board,
    trade: null,
    work,
    thought,
    thinks: thinksOf(config),
  };
  return { ...seen, mind: { ...seen.mind, board: boardMindWith(seen), life: lifeMindWith(seen) } };
}

function thinksOf(config: AgentConfig): Situation['thinks'] {
  // A decision is JSON; a model that cannot write JSON leaves the choice to the scripted rules.
  const model = config.model?.json === false ? null : modelOf(config);
  return model === null ? null : { model, tokensPerHour: config.limits?.tokens_per_hour ?? 0 };
}

type Tile = { readonly x: number; readonly y: number };

function neighboursOf(self: AgentView, agents: readonly AgentView[]): readonly AgentView[] {
  const distance = (agent: AgentView) => tilesBetween(agent.position, self.position);
  return agents
    .filter((agent) => agent !== self && agent.power === 'Awake' && distance(agent) <= PERCEPTION_TILES)
    .toSorted((a, b) => distance(a) - distance(b) || compareText(a.agent_id, b.agent_id))
    .slice(0, MAX_NEIGHBOURS);
}

function itemsNear(from: Tile, { items }: WorldView): readonly LyingItem[] {
  const lying = items.flatMap((item) => (item.position === null ? [] : [{ ...item, position: item.position }]));
  return lying
    .toSorted(
      (a, b) => tilesBetween(a.position, from) - tilesBetween(b.position, from) || compareText(a.item_id, b.item_id),
    )
    .slice(0, MAX_ITEMS);
}

/**
 * The agent's board state before it decides. The cursor moves past news that need no reply. Judgements are read again until the
 * agent has responded to them. The first plan that it sees does not count as a change.
 */
function boardMindWith(situation: Situation): BoardMind {
  const { mind, board: sight } = situation;
  const { board } = mind;
  if (sight === null) return board;
  const { news, nextAfter, judged, entry, balance, plan } = sight;
  const isRead = nextAfter !== null && !news.some((each) => wantsReply(situation, each));
  return {
    ...board,
    after: isRead ? nextAfter : board.after,
    plan: board.plan ?? plan,
    ...(judged.length === 0 ? { entry: entry ?? board.entry, balance } : {}),
  };
}

/**
 * The decision state before the agent decides, with the arrived thought and with new rewards and penalties. An agent with a model
 * also stores what others said or wrote to it.
 */
function lifeMindWith(situation: Situation): LifeMind {
  const { mind, tick, day, thought, thinks, board } = situation;
  const today = lifeOnDay(mind.life, day);
  const thoughtful = thought === null ? today : withThought(today, thought, tick);
  const taught = withLessons(thoughtful, board?.judged ?? []);
  if (thinks === null) return taught;
  const informed = withNews(taught, board?.news ?? [], situation.character.agentId);
  const talks = talksNow({ ...situation, mind: { ...mind, life: informed } });
  return withSpokenWords(talks === informed.talks ? informed : { ...informed, talks }, situation);
}
