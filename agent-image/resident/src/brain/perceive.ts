import type { AgentConfig, AgentDetail, AgentView, Wake, WorldView } from '@hamlet/contract';
import type { BoardSight } from './board/board-sight.ts';
import { rememberSight } from './board/remember-sight.ts';
import type { Mind } from './mind.ts';
import { tilesBetween } from './distance.ts';
import { doingHere } from './doing.ts';
import { onDay } from './mind.ts';
import type { LyingItem, Situation } from './situation.ts';

/** How far away others enter a decision, in tiles. */
export const PERCEPTION_TILES = 24;
/** At most so many others and items enter a decision, nearest first. */
export const MAX_NEIGHBOURS = 12;
export const MAX_ITEMS = 12;

export interface Perception {
  readonly world: WorldView;
  readonly standing: AgentDetail;
  readonly config: AgentConfig;
  readonly wake: Wake | null;
  readonly mind: Mind;
  /** What it knows of the board; nothing where it is left out. */
  readonly board?: BoardSight | null;
  /** The run that the agent works on, in words. */
  readonly work?: string | null;
}

/** Narrows the village to what matters to one agent now; null while the agent is not in the world. */
export function perceive({
  world,
  standing,
  config,
  wake,
  mind,
  board = null,
  work = null,
}: Perception): Situation | null {
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
    mind: atPresent(onDay(mind, world.time.day), self, world.landmarks),
    board,
    trade: null,
    work,
  };
  return { ...seen, mind: { ...seen.mind, board: rememberSight(seen) } };
}

/** Where it stands, it is about what it does there, whatever it set out for. */
function atPresent(mind: Mind, self: AgentView, landmarks: WorldView['landmarks']): Mind {
  return { ...mind, goal: doingHere(self, landmarks) ?? mind.goal };
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

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
