import { type Camera, type Point, type TileRect, type Viewport, worldToScreen } from './camera.ts';
import type { ScenePin } from './scene.ts';

/** A pin whose tip is at `x`,`y`, in CSS pixels. Pins that would overlap are merged: `ids` lists their posts, newest first. */
export type PinCommand = Readonly<{ ids: readonly string[]; x: number; y: number; tone: ScenePin['tone'] }>;
type Sight = Readonly<{ camera: Camera; viewport: Viewport; visible: TileRect }>;

/** Pins that are closer than this, in CSS pixels, are merged. */
const APART_PX = 24;
const MAX_PINS = 120;
const RANK: Readonly<Record<ScenePin['tone'], number>> = { draft: 0, chosen: 1, plain: 2 };

/** The visible pins, back to front. The pins of the draft and of the open post stay single; the others merge. */
export function pinCommands(pins: readonly ScenePin[], { camera, viewport, visible }: Sight): PinCommand[] {
  const seen = pins.filter(
    (pin) =>
      pin.x >= visible.x - 1 &&
      pin.y >= visible.y - 1 &&
      pin.x <= visible.x + visible.width &&
      pin.y <= visible.y + visible.height,
  );
  const commands: PinCommand[] = [];
  for (const pin of seen.toSorted((left, right) => RANK[left.tone] - RANK[right.tone])) {
    const at = worldToScreen(camera, viewport, { x: pin.x + 0.5, y: pin.y + 0.5 });
    const near =
      pin.tone === 'plain' ? commands.findIndex((command) => command.tone === 'plain' && isNear(command, at)) : -1;
    const other = commands[near];
    if (other !== undefined) commands[near] = { ...other, ids: [...other.ids, pin.id] };
    else if (commands.length < MAX_PINS) commands.push({ ids: [pin.id], x: at.x, y: at.y, tone: pin.tone });
  }
  return commands.toSorted((left, right) => RANK[right.tone] - RANK[left.tone] || left.y - right.y);
}

const isNear = (left: Point, right: Point): boolean => Math.hypot(left.x - right.x, left.y - right.y) < APART_PX;
