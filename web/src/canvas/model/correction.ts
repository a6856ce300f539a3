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
  if (jump > MAX_GLIDE_TILES) return { place, correction: NO_CORRECTION };
  const carried = faded(last.correction, elapsedMs);
  if (jump <= WALK_SLACK_TILES + elapsedMs * WALK_TILES_PER_MS) return { place, correction: settle(carried) };
  return { place, correction: { dx: carried.dx - jumpX, dy: carried.dy - jumpY } };
}
/** 2.5 tiles a second. */
const WALK_TILES_PER_MS = 0.0025;

function faded(correction: Correction, elapsedMs: number): Correction {
  if (correction === NO_CORRECTION) return NO_CORRECTION;
  const share = Math.exp(-elapsedMs / FADE_MS);
  return { dx: correction.dx * share, dy: correction.dy * share };
}

function settle(correction: Correction): Correction {
  return Math.abs(correction.dx) + Math.abs(correction.dy) < 0.002 ? NO_CORRECTION : correction;
}

/** The offsets of all figures. Mutable because it remembers the last frame. */
export class Corrections {
  #drawn = new Map<string, Drawn>();
  #areFading = false;

  /** The agents where the frame draws them; without a correction that is the same object. */
  apply(agents: readonly DrawnAgent[], elapsedMs: number): DrawnAgent[] {
    const last = this.#drawn;
    this.#drawn = new Map();
    this.#areFading = false;
    return agents.map((agent) => {
      const drawn = correct(last.get(agent.agentId), agent, elapsedMs);
      this.#drawn.set(agent.agentId, drawn);
      if (drawn.correction === NO_CORRECTION) return agent;
      this.#areFading = true;
      return { ...agent, x: agent.x + drawn.correction.dx, y: agent.y + drawn.correction.dy };
    });
  }

  get areFading(): boolean {
    return this.#areFading;
  }
}
