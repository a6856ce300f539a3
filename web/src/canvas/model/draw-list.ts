import { type HandsActivity, SPEECH_TICKS } from '@hamlet/contract';
import { type Camera, type Point, type TileRect, type Viewport, worldToScreen } from './camera.ts';
import { hashText } from './noise.ts';
import { type PinCommand, pinCommands } from './pins.ts';
import type { DrawnAgent } from '@hamlet/core';
import { compareText } from '@hamlet/core/compare-text';
import { itemKind } from './scene.ts';
import type { SceneCluster, SceneItem, SceneLandmark, ScenePin, SceneZone } from './scene.ts';

/** The number of different figures in the atlas: shirt, hair and skin. */
export const LOOKS = 35;

/** A figure to draw. `x`,`y` is the place of the feet and `size` the height, all in CSS pixels. */
export interface FigureCommand {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly look: number;
  readonly facing: DrawnAgent['facing'];
  /** 0 while the figure stands; 1 and 2 are the two steps of its walk. */
  readonly step: 0 | 1 | 2;
  readonly asleep: boolean;
  readonly alpha: number;
  readonly ring: 'none' | 'hover' | 'selected';
  readonly dot: boolean;
  readonly carried: string | null;
  readonly emote: string | null;
  /** Activity of its hands, which a badge at its shoulder shows; null for none. */
  readonly hands: HandsActivity | null;
}
/** A name under a figure; `x`,`y` is the middle of its upper edge. */
interface NameCommand {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly tone: 'plain' | 'asleep' | 'offline';
  readonly selected: boolean;
}
/** A bubble whose tail points at `x`,`y`. */
interface BubbleCommand {
  readonly ids: readonly string[];
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly alpha: number;
  readonly count: number;
}
interface LandmarkCommand {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly kind: string;
  readonly labelled: boolean;
}
interface ZoneCommand {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly text: string;
  readonly kind: string;
  readonly labelAlpha: number;
}
type ItemCommand = Readonly<{ id: string; x: number; y: number; size: number; kind: string }>;
type ClusterCommand = Readonly<{ x: number; y: number; count: number; radius: number }>;

/** Everything that a frame draws above the ground. Each list is in drawing order, back to front. */
export interface DrawList {
  readonly level: Level;
  readonly zones: readonly ZoneCommand[];
  readonly landmarks: readonly LandmarkCommand[];
  readonly items: readonly ItemCommand[];
  readonly figures: readonly FigureCommand[];
  readonly names: readonly NameCommand[];
  readonly bubbles: readonly BubbleCommand[];
  readonly clusters: readonly ClusterCommand[];
  readonly pins: readonly PinCommand[];
}

/** Everything that a frame depends on. `tick` is the drawn tick. */
export interface FrameInput {
  readonly camera: Camera;
  readonly viewport: Viewport;
  readonly visible: TileRect;
  readonly tick: number;
  readonly agents: readonly DrawnAgent[];
  readonly items: readonly SceneItem[];
  readonly landmarks: readonly SceneLandmark[];
  readonly zones: readonly SceneZone[];
  readonly clusters: readonly SceneCluster[];
  readonly pins: readonly ScenePin[];
  readonly selected: string | null;
  readonly hovered: string | null;
  readonly hands: ReadonlyMap<string, HandsActivity>;
}

const SPEECH_FADE_TICKS = 15;
/** The legs change every 2 ticks: two steps for each tile at walking pace. */
const STEP_TICKS = 2;
/** The height of a figure in tiles, and the smallest height of a figure in pixels. */
const FIGURE_TILES = 1.55;
const FIGURE_MIN_PX = 26;
const DOT_PX = 9;
/** Up to this many visible agents the map shows all names; above, only those of the selected and the hovered agent. */
const MAX_NAMES = 80;
/** Bubbles that are closer than this, in pixels, merge into one. */
const CLUSTER_X_PX = 150;
const CLUSTER_Y_PX = 64;
const MAX_BUBBLES = 24;
/** Height in pixels of the room for an emote, between the head and the bubble. */
const EMOTE_PX = 24;
/** Below this zoom the map leaves out the pins of homes, because there are many. */
const HOME_PIN_ZOOM = 9;

export function drawList(input: FrameInput): DrawList {
  const seen = input.agents.filter((agent) => within(input.visible, agent));
  const level = levelOf(input.camera.zoom, seen.length);
  const far = level === 'far';
  const figures = far ? [] : figureCommands(input, seen);
  return {
    level,
    zones: input.zones.map((zone) => zoneCommand(input, zone)),
    landmarks: landmarkCommands(input),
    items:
      input.camera.zoom < 12
        ? []
        : input.items.filter((item) => within(input.visible, item)).map((item) => itemCommand(input, item)),
    figures,
    names: far ? [] : nameCommands(input, seen, seen.length),
    bubbles: far ? [] : bubbleCommands(input, seen, seen.length),
    clusters: far ? clusterCommands(input) : [],
    pins: pinCommands(input.pins, input),
  };
}

/** The height of a figure in CSS pixels. `dot` is true if figures would be too small and too many. */
function figureSize(zoom: number, visible: number): { readonly size: number; readonly dot: boolean } {
  const size = zoom * FIGURE_TILES;
  if (size >= FIGURE_MIN_PX) return { size, dot: false };
  return visible > 150 ? { size: DOT_PX, dot: true } : { size: FIGURE_MIN_PX, dot: false };
}

/** Equal for all figures of a frame; `origin` is the place on the screen of the feet of an agent at 0, 0. */
type Figures = Readonly<{ size: number; dot: boolean; step: FigureCommand['step']; origin: Point }>;

function figureCommands(input: FrameInput, seen: readonly DrawnAgent[]): FigureCommand[] {
  const phase = Math.floor(input.tick / STEP_TICKS) % 4;
  const shared: Figures = {
    ...figureSize(input.camera.zoom, seen.length),
    step: phase % 2 === 0 ? 0 : phase === 1 ? 1 : 2,
    origin: feetOf(input, { x: 0, y: 0 }),
  };
  return byDepth(seen).map((agent) => figure(input, agent, shared));
}

function figure(input: FrameInput, agent: DrawnAgent, { size, dot, step, origin }: Figures): FigureCommand {
  const { agentId, inventory } = agent;
  const { zoom } = input.camera;
  const asleep = lies(input, agent);
  return {
    id: agentId,
    x: origin.x + agent.x * zoom,
    y: origin.y + agent.y * zoom,
    size,
    dot,
    look: hashText(agentId, LOOKS),
    facing: agent.facing,
    step: agent.moving ? step : 0,
    asleep,
    alpha: agent.online || agent.asleep ? 1 : 0.45,
    ring: ringOf(input, agentId),
    carried: inventory[0] === undefined || asleep ? null : itemKind(inventory[0]),
    emote: agent.emote,
    hands: agent.asleep ? null : (input.hands.get(agentId) ?? null),
  };
}

/** Steps of a tile by which depths differ, and more tiles than lie above the map. */
const DEPTHS = 256;
const ABOVE_TILES = 1_000;

/**
 * Back to front; agents of equal depth stay in their order. A crowd is sorted in every frame, and numbers are sorted many
 * times faster than objects: each has a depth, and the index of its agent below it.
 */
function byDepth(seen: readonly DrawnAgent[]): DrawnAgent[] {
  const count = seen.length;
  const keys = new Float64Array(count);
  for (const [index, { y }] of seen.entries()) keys[index] = Math.round((y + ABOVE_TILES) * DEPTHS) * count + index;
  keys.sort();
  const ordered: DrawnAgent[] = [];
  for (const key of keys) {
    const agent = seen[key % count];
    if (agent !== undefined) ordered.push(agent);
  }
  return ordered;
}

function ringOf({ selected, hovered }: FrameInput, agentId: string): FigureCommand['ring'] {
  if (agentId === selected) return 'selected';
  return agentId === hovered ? 'hover' : 'none';
}

/** True if the figure lies down: the agent is suspended, or sleeps on its own at night and does not work. */
function lies({ hands }: FrameInput, { agentId, asleep, activity }: DrawnAgent): boolean {
  const isIdle = (hands.get(agentId) ?? 'waiting') === 'waiting';
  return asleep || (activity === 'sleeping' && isIdle);
}

/** Puts the feet a little below the middle of the tile, so that a head covers less of the tile above. */
function feetOf(input: FrameInput, agent: { readonly x: number; readonly y: number }): Point {
  return worldToScreen(input.camera, input.viewport, { x: agent.x + 0.5, y: agent.y + 0.78 });
}

function nameCommands(input: FrameInput, seen: readonly DrawnAgent[], visible: number): NameCommand[] {
  const all = visible <= MAX_NAMES;
  const wanted = seen.filter((agent) => all || agent.agentId === input.selected || agent.agentId === input.hovered);
  // The names of the selected and the hovered agent come first. A name that would cover an earlier one is left out.
  const rank = (agent: DrawnAgent): number =>
    agent.agentId === input.selected ? 2 : agent.agentId === input.hovered ? 1 : 0;
  const taken: Box[] = [];
  return wanted
    .toSorted((left, right) => rank(right) - rank(left) || compareText(left.agentId, right.agentId))
    .flatMap((agent) => {
      const feet = feetOf(input, agent);
      const width = agent.name.length * LETTER_PX + 26;
      if (!takeRoom(taken, { x: feet.x - width / 2, y: feet.y + 3, width, height: 18 })) return [];
      const tone = lies(input, agent) ? ('asleep' as const) : agent.online ? ('plain' as const) : ('offline' as const);
      return [
        {
          id: agent.agentId,
          x: feet.x,
          y: feet.y + 3,
          text: agent.name,
          tone,
          selected: agent.agentId === input.selected,
        },
      ];
    });
}

type Box = Readonly<{ x: number; y: number; width: number; height: number }>;
const LETTER_PX = 6.8;

/** Reserves the box of a label; false if it would cover an earlier label. */
function takeRoom(taken: Box[], box: Box): boolean {
  const free = taken.every(
    (other) =>
      box.x >= other.x + other.width ||
      box.x + box.width <= other.x ||
      box.y >= other.y + other.height ||
      box.y + box.height <= other.y,
  );
  if (free) taken.push(box);
  return free;
}

/** The opacity of a speech bubble: 1 while it is new, then falling to 0 at its end. 0 if it is later than `tick`. */
export function speechAlpha(tick: number, spokenAt: number): number {
  const age = tick - spokenAt;
  if (age < 0 || age >= SPEECH_TICKS) return 0;
  return Math.min(1, (SPEECH_TICKS - age) / SPEECH_FADE_TICKS);
}

function bubbleCommands(input: FrameInput, seen: readonly DrawnAgent[], visible: number): BubbleCommand[] {
  const talking: { agent: DrawnAgent; text: string; spokenAt: number; alpha: number }[] = [];
  for (const agent of seen) {
    if (agent.speech === null) continue;
    const { text, tick: spokenAt } = agent.speech;
    const alpha = speechAlpha(input.tick, spokenAt);
    if (alpha > 0) talking.push({ agent, text, spokenAt, alpha });
  }
  // The bubble of the selected agent comes first, so it keeps its text when others merge into it. The others follow,
  // newest first.
  talking.sort(
    (left, right) =>
      Number(right.agent.agentId === input.selected) - Number(left.agent.agentId === input.selected) ||
      right.spokenAt - left.spokenAt,
  );
  const bubbles: BubbleCommand[] = [];
  const { size } = figureSize(input.camera.zoom, visible);
  for (const { agent, text, alpha } of talking) {
    const feet = feetOf(input, agent);
    const tip = { x: feet.x, y: feet.y - size - (agent.emote === null ? 2 : EMOTE_PX) };
    const near = bubbles.findIndex(
      (bubble) => Math.abs(bubble.x - tip.x) < CLUSTER_X_PX && Math.abs(bubble.y - tip.y) < CLUSTER_Y_PX,
    );
    const other = bubbles[near];
    if (other !== undefined)
      bubbles[near] = {
        ...other,
        ids: [...other.ids, agent.agentId],
        count: other.count + 1,
        alpha: Math.max(other.alpha, alpha),
      };
    else if (bubbles.length < MAX_BUBBLES)
      bubbles.push({ ids: [agent.agentId], x: tip.x, y: tip.y, text: `${agent.name}: ${text}`, alpha, count: 1 });
  }
  return bubbles.map((bubble) => (bubble.count === 1 ? bubble : { ...bubble, text: crowdText(bubble, input) }));
}

function crowdText(bubble: BubbleCommand, input: FrameInput): string {
  if (bubble.count === 2 || bubble.ids[0] === input.selected) return bubble.text;
  return `${bubble.count} agents are talking here`;
}

/** Public places claim room for their names before homes, which have names only at close zoom. */
function landmarkCommands(input: FrameInput): LandmarkCommand[] {
  const { zoom } = input.camera;
  const taken: Box[] = [];
  const seen = input.landmarks.filter(
    (landmark) => within(input.visible, landmark) && (zoom >= HOME_PIN_ZOOM || landmark.kind !== 'home'),
  );
  return seen
    .toSorted((left, right) => Number(left.kind === 'home') - Number(right.kind === 'home'))
    .map((landmark) => {
      const at = worldToScreen(input.camera, input.viewport, { x: landmark.x + 0.5, y: landmark.y + 0.5 });
      const wanted = zoom >= (landmark.kind === 'home' ? 20 : 8);
      const labelled =
        wanted &&
        takeRoom(taken, { x: at.x - 14, y: at.y - 13, width: landmark.name.length * LETTER_PX + 40, height: 26 });
      return { id: landmark.id, x: at.x, y: at.y, text: landmark.name, kind: landmark.kind, labelled };
    });
}

function zoneCommand(input: FrameInput, zone: SceneZone): ZoneCommand {
  const at = worldToScreen(input.camera, input.viewport, zone);
  const { zoom } = input.camera;
  // If a place has the same name as the zone, the label of the place already shows it.
  const shared = zoom >= 8 && input.landmarks.some((landmark) => landmark.name === zone.name);
  return {
    id: zone.id,
    x: at.x,
    y: at.y,
    width: zone.width * zoom,
    height: zone.height * zoom,
    text: zone.name,
    kind: zone.kind,
    labelAlpha: shared ? 0 : zoom < 22 ? 1 : zoom < 34 ? 1 - (zoom - 22) / 12 : 0,
  };
}

function itemCommand(input: FrameInput, item: SceneItem): ItemCommand {
  const at = worldToScreen(input.camera, input.viewport, { x: item.x + 0.5, y: item.y + 0.62 });
  return { id: item.id, x: at.x, y: at.y, size: Math.max(14, input.camera.zoom * 0.6), kind: item.kind };
}

function clusterCommands(input: FrameInput): ClusterCommand[] {
  return input.clusters
    .filter((cluster) => cluster.count > 0 && within(input.visible, cluster))
    .map((cluster) => {
      const at = worldToScreen(input.camera, input.viewport, cluster);
      return { x: at.x, y: at.y, count: cluster.count, radius: Math.min(22, 9 + Math.sqrt(cluster.count) * 1.6) };
    });
}

export function within(rect: TileRect, place: Point): boolean {
  return (
    place.x >= rect.x - 1 && place.y >= rect.y - 1 && place.x <= rect.x + rect.width && place.y <= rect.y + rect.height
  );
}

/** The amount of detail. `far`: counts, zones. `district`: small figures, places. `street`: names. `close`: all. */
type Level = 'far' | 'district' | 'street' | 'close';

/** With more figures than this, the level is `district` instead of `street`. */
const READABLE_FIGURES = 120;
/** With more agents than this, the map shows counts per cell instead of single agents. */
const READABLE_DOTS = 2500;

/** The level of detail. `zoom` is CSS pixels per tile, `visible` the number of agents in view. */
function levelOf(zoom: number, visible: number): Level {
  if (zoom < 9) return visible > READABLE_DOTS ? 'far' : 'district';
  if (zoom < 22) return visible > READABLE_FIGURES ? 'district' : 'street';
  return zoom < 44 ? 'street' : 'close';
}

/** The zoom to request from the server: with `far` it sends counts per cell, otherwise single agents. */
export function wireZoom(zoom: number, population: number): 'near' | 'mid' | 'far' {
  if (zoom >= 16) return 'near';
  return zoom < 9 && population > READABLE_DOTS ? 'far' : 'mid';
}
