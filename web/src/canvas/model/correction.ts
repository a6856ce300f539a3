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

/** A figure in the last frame: its true place in tiles, and the offset at which it was drawn. */
export type Drawn = Point & Readonly<{ correction: Correction }>;

/** The offset in the next frame, `elapsedMs` later. `place` is the figure's true place in that frame, in tiles. */
export function correctionAfter(last: Drawn | undefined, place: Point, elapsedMs: number): Correction {
  if (last === undefined) return NO_CORRECTION;
  const jumpX = place.x - last.x;
  const jumpY = place.y - last.y;
  const jumpSquared = jumpX ** 2 + jumpY ** 2;
  if (jumpSquared > MAX_GLIDE_TILES ** 2) return NO_CORRECTION;
  const carried = faded(last.correction, elapsedMs);
  if (jumpSquared <= (WALK_SLACK_TILES + elapsedMs * WALK_TILES_PER_MS) ** 2) return settle(carried);
  return { dx: carried.dx - jumpX, dy: carried.dy - jumpY };
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

/**
 * The offsets of all figures. Mutable because it remembers the last frame: in the same objects, because new ones for a crowd
 * in every frame would often stop the page for their collection.
 */
export class Corrections {
  readonly #drawn = new Map<string, { -readonly [K in keyof Drawn]: Drawn[K] }>();
  #areFading = false;

  /** The agents where the frame draws them; without a correction that is the same object. */
  apply(agents: readonly DrawnAgent[], elapsedMs: number): DrawnAgent[] {
    this.#areFading = false;
    const drawn = agents.map((agent) => this.#corrected(agent, elapsedMs));
    if (this.#drawn.size > agents.length) this.#forgetAllBut(agents);
    return drawn;
  }

  #corrected(agent: DrawnAgent, elapsedMs: number): DrawnAgent {
    const { agentId, x, y } = agent;
    const last = this.#drawn.get(agentId);
    const correction = correctionAfter(last, agent, elapsedMs);
    if (last === undefined) this.#drawn.set(agentId, { x, y, correction });
    else {
      last.x = x;
      last.y = y;
      last.correction = correction;
    }
    if (correction === NO_CORRECTION) return agent;
    this.#areFading = true;
    return { ...agent, x: x + correction.dx, y: y + correction.dy };
  }

  #forgetAllBut(agents: readonly DrawnAgent[]): void {
    const here = new Set(agents.map(({ agentId }) => agentId));
    for (const agentId of this.#drawn.keys()) if (!here.has(agentId)) this.#drawn.delete(agentId);
  }

  get areFading(): boolean {
    return this.#areFading;
  }
}
