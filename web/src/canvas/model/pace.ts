/** A frame is slow if it takes longer than this from its start to the next repaint. */
const SLOW_MS = 50;
const LONGEST_PAUSE_MS = 1000;
/** Painting of missing ground in a frame: little, so that motion stays smooth; more where frames are slow anyway. */
const PAINT_MS = 6;
const LONGEST_PAINT_MS = 200;
/** A change of the world may begin to show this long after its arrival, because the map is drawn a little in the past. */
const SETTLE_MS = 1500;

/**
 * The reason for the next frame. `asked`: a person moves the map, or something on it changed. `motion`: agents walk, words
 * fade or the camera follows. `rest`: sleepers snore, hands are busy, words will go, or the world has just changed. `still`:
 * only the light changes.
 */
export type FrameCause = 'asked' | 'motion' | 'rest' | 'still';

/** The shortest time between two frames, by the reason of the later one. */
export const GAP_MS: Readonly<Record<FrameCause, number>> = { asked: 0, motion: 0, rest: 160, still: 10_000 };

/** Frames of pause after a slow frame: panels get half of the time, and four fifths while no person moves the map. */
const PAUSE_FRAMES: Readonly<Record<FrameCause, number>> = { asked: 1, motion: 4, rest: 4, still: 4 };

/** The reason for the frame after one that shows this. `changedMs` is the time since the last change of the world. */
export function causeOf(shown: {
  readonly isAsked: boolean;
  readonly isMoving: boolean;
  readonly isLively: boolean;
  readonly changedMs: number;
}): FrameCause {
  if (shown.isAsked) return 'asked';
  if (shown.isMoving) return 'motion';
  return shown.isLively || shown.changedMs < SETTLE_MS ? 'rest' : 'still';
}

export const isSlow = (costMs: number): boolean => costMs > SLOW_MS;

/** The pause after a frame, at most 1 s. */
export function pauseAfter(costMs: number, next: FrameCause): number {
  return !isSlow(costMs) ? 0 : Math.min(costMs * PAUSE_FRAMES[next], LONGEST_PAUSE_MS);
}

/** The time for which the next frame may paint missing ground. `costMs` is the cost of the last frame that was drawn. */
export const paintTime = (costMs: number): number => (isSlow(costMs) ? Math.min(costMs, LONGEST_PAINT_MS) : PAINT_MS);
