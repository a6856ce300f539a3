/** A frame is slow if it takes longer than this from its start to the next repaint. */
const SLOW_MS = 50;
const LONGEST_PAUSE_MS = 1000;
/** Between frames while nothing moves, enough for sleepers and daylight. */
export const REST_GAP_MS = 160;

/**
 * The reason for the next frame. `asked`: a person moves the map, or something on it changed. `motion`: agents walk, words
 * fade or the camera follows. `rest`: nothing moves.
 */
export type FrameCause = 'asked' | 'motion' | 'rest';

/** Frames of pause after a slow frame: panels get half of the time, and four fifths while no person moves the map. */
const PAUSE_FRAMES: Readonly<Record<FrameCause, number>> = { asked: 1, motion: 4, rest: 4 };

/** The pause after a frame, at most 1 s. */
export function pauseAfter(costMs: number, next: FrameCause): number {
  return costMs <= SLOW_MS ? 0 : Math.min(costMs * PAUSE_FRAMES[next], LONGEST_PAUSE_MS);
}
