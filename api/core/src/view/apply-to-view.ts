import type {
  AgentEntry,
  FrameItem,
  FrameMessage,
  FrameMessageOf,
  PathRecord,
  ViewerMessage,
  WorldStateFrame,
} from '@hamlet/contract';
import { tileIndex, walkTiles } from '../map/path-tiles.ts';
import { cellOf, cellsOfWalk } from '../world/state/cell-index.ts';
import { turningPoint, type Walk } from '../world/state/walk.ts';
import type { SeenAgent, View } from './view.ts';

function walkFrom(view: View, path: PathRecord): Walk {
  const from = tileIndex(view.map, path.from);
  return {
    tiles: walkTiles(view.map, from, tileIndex(view.map, path.to)) ?? [from],
    startTick: path.start_tick,
    lead: path.lead,
  };
}

export function seesCell(view: View, cell: number): boolean {
  const x = cell % view.map.cellsWide;
  const y = Math.floor(cell / view.map.cellsWide);
  const { cells } = view;
  return x >= cells.x && y >= cells.y && x < cells.x + cells.width && y < cells.y + cells.height;
}

function takeItem(view: View, itemId: string): void {
  view.lying.delete(itemId);
  for (const seen of view.agents.values()) {
    if (seen.inventory.includes(itemId)) seen.inventory = seen.inventory.filter((held) => held !== itemId);
  }
}

function putItem(view: View, item: FrameItem): void {
  takeItem(view, item.item_id);
  const tile = item.position === null ? -1 : tileIndex(view.map, item.position);
  if (tile >= 0 && seesCell(view, cellOf(view.map, tile))) view.lying.set(item.item_id, tile);
  const holder = item.held_by === null ? undefined : view.agents.get(item.held_by);
  if (holder !== undefined) holder.inventory = [...holder.inventory, item.item_id];
}

function putAgent(view: View, entry: AgentEntry): void {
  const { agent, path, before, awake, online, activity, emote, speech, inventory } = entry;
  view.agents.set(agent, {
    agent,
    walk: walkFrom(view, path),
    before: before === null ? null : walkFrom(view, before),
    awake,
    online,
    activity,
    emote,
    speech,
    inventory,
  });
}

function forget(view: View): void {
  view.gone = [];
  for (const known of [view.agents, view.names, view.lying, view.clusters, view.pinned]) known.clear();
  view.cells = { x: 0, y: 0, width: 0, height: 0 };
}

function narrow(view: View, message: FrameMessageOf<'view'>): void {
  const { x, y, width, height, zoom } = message;
  view.cells = { x, y, width, height };
  view.zoom = zoom;
  view.pinned.clear();
  for (const agent of message.pinned) view.pinned.add(agent);
  if (zoom !== 'far') view.clusters.clear();
  const sees = (cell: number): boolean => zoom !== 'far' && seesCell(view, cell);
  for (const [agent, { walk }] of view.agents) {
    if (!view.pinned.has(agent) && !cellsOfWalk(view.map, walk).some(sees)) view.agents.delete(agent);
  }
  for (const [itemId, tile] of view.lying)
    if (zoom !== 'near' || !sees(cellOf(view.map, tile))) view.lying.delete(itemId);
}

function keyframe(view: View, message: FrameMessageOf<'keyframe'>): void {
  if (message.reset) {
    for (const [agent, { walk }] of view.agents) {
      if (cellsOfWalk(view.map, walk).includes(message.cell)) view.agents.delete(agent);
    }
    for (const [itemId, tile] of view.lying) if (cellOf(view.map, tile) === message.cell) view.lying.delete(itemId);
  }
  for (const entry of message.agents) putAgent(view, entry);
  for (const item of message.items) putItem(view, item);
}

/** Viewers draw a little in the past, where a removed agent is still visible. */
const REMEMBER_GONE_TICKS = 20;

/** Ignores unknown agents: the entry that later adds such an agent includes the change. */
function toSeen(view: View, agent: number, change: (seen: SeenAgent) => void): void {
  const seen = view.agents.get(agent);
  if (seen !== undefined) change(seen);
}

/** A repeated path (in a keyframe and in the next update) has no effect. */
function setWalk(seen: SeenAgent, walk: Walk): void {
  if (seen.walk.startTick === walk.startTick && seen.walk.tiles.at(-1) === walk.tiles.at(-1)) return;
  seen.before = seen.walk;
  seen.walk = walk;
  seen.activity = null;
}

const APPLY: { readonly [K in FrameMessage['kind']]: (view: View, message: FrameMessageOf<K>) => void } = {
  clock: () => undefined,
  hello: (view, message) => {
    if (!message.resumed) forget(view);
  },
  view: narrow,
  agent: (view, message) => {
    view.names.set(message.agent, { agentId: message.agent_id, name: message.display_name });
  },
  keyframe,
  spawn: (view, message) => putAgent(view, message.entry),
  despawn: (view, message) => {
    const seen = view.agents.get(message.agent);
    if (seen !== undefined) view.gone = [...view.gone, { seen, tick: view.tick }];
    view.agents.delete(message.agent);
    view.pinned.delete(message.agent);
  },
  path: (view, message) => toSeen(view, message.agent, (seen) => setWalk(seen, walkFrom(view, message.path))),
  turn: (view, message) =>
    toSeen(view, message.agent, (seen) => {
      const { tile, lead } = turningPoint(seen.walk, message.start_tick, view.map.width);
      const to = tile + message.dx + message.dy * view.map.width;
      setWalk(seen, { tiles: walkTiles(view.map, tile, to) ?? [tile], startTick: message.start_tick, lead });
    }),
  state: (view, message) =>
    toSeen(view, message.agent, (seen) => {
      const { awake, online, activity, emote } = message;
      Object.assign(seen, { awake, online, activity, emote });
    }),
  speech: (view, message) =>
    toSeen(view, message.agent, (seen) => {
      seen.speech = { text: message.text, tick: message.tick };
    }),
  item: (view, message) => putItem(view, message.item),
  cluster: (view, message) => {
    view.clusters.clear();
    for (const { cell, count } of message.cells) view.clusters.set(cell, count);
  },
};

export function resumeMessage(view: View): ViewerMessage {
  const resume = { type: 'resume' as const, epoch: view.epoch, seq: view.seq };
  return view.zoom === 'near' ? { ...resume, cells: { ...view.cells } } : resume;
}

export function applyToView(view: View, frame: WorldStateFrame): View {
  view.tick = frame.tick;
  if (view.gone.length > 0) view.gone = view.gone.filter(({ tick }) => tick > frame.tick - REMEMBER_GONE_TICKS);
  for (const message of frame.messages) {
    const apply = APPLY[message.kind] as (view: View, message: FrameMessage) => void;
    apply(view, message);
  }
  view.epoch = frame.epoch;
  view.seq = frame.seq;
  return view;
}
