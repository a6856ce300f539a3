import type { Point } from './camera.ts';
import type { DrawnAgent } from '@hamlet/core';

/** The offset of a drawn figure after its path arrived late. It fades, because a jump would look broken. */
type Correction = Readonly<{ dx: number; dy: number }>;
export const NO_CORRECTION: Correction = { dx: 0, dy: 0 };

/** A larger error, in tiles, is a real jump (respawn, resume), and the map shows it as a jump. */
const MAX_GLIDE_TILES = 3;
/** A figure that moves farther between two frames than it can walk, plus this many tiles, has an error to correct. */
const WALK_SLACK_TILES = 0.12;
/** The time in which the offset falls to 37 %. */
const FADE_MS = 140;

/** One figure in the last frame: its true place, and the offset at which it was drawn. */
export type Drawn = Readonly<{ place: Point; correction: Correction }>;

/** The figure in the next frame, `elapsedMs` later. `place` is its true place in that frame, in tiles. */
export function correct(last: Drawn | undefined, place: Point, elapsedMs: number): Drawn {
  if (last === undefined) return { place, correction: NO_CORRECTION };
  const jumpX = place.x - last.place.x;
  const jumpY = place.y - last.place.y;
  const jump = Math.hypot(jumpX, jumpY);
  const fade = Math.exp(-elapsedMs / FADE_MS);
  const carried = { dx: last.correction.dx * fade, dy: last.correction.dy * fade };
  if (jump > MAX_GLIDE_TILES) return { place, correction: NO_CORRECTION };
  if (jump <= WALK_SLACK_TILES + elapsedMs * WALK_TILES_PER_MS) return { place, correction: settle(carried) };
  return { place, correction: { dx: carried.dx - jumpX, dy: carried.dy - jumpY } };
}
/** 2.5 tiles a second. */
const WALK_TILES_PER_MS = 0.0025;

function settle(correction: Correction): Correction {
  return Math.abs(correction.dx) + Math.abs(correction.dy) < 0.002 ? NO_CORRECTION : correction;
}

/** The offsets of all figures. Mutable because it remembers the last frame. */
export class Corrections {
  readonly #drawn = new Map<string, Drawn>();

  apply(agents: readonly DrawnAgent[], elapsedMs: number): DrawnAgent[] {
    const present = new Set<string>();
    const placed = agents.map((agent) => {
      const drawn = correct(this.#drawn.get(agent.agentId), { x: agent.x, y: agent.y }, elapsedMs);
      this.#drawn.set(agent.agentId, drawn);
      present.add(agent.agentId);
      return { ...agent, x: drawn.place.x + drawn.correction.dx, y: drawn.place.y + drawn.correction.dy };
    });
    if (this.#drawn.size > present.size)
      for (const id of this.#drawn.keys()) if (!present.has(id)) this.#drawn.delete(id);
    return placed;
  }

  get areFading(): boolean {
    for (const drawn of this.#drawn.values()) if (drawn.correction.dx !== 0 || drawn.correction.dy !== 0) return true;
    return false;
  }
}
