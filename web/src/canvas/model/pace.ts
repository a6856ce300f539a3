/**
 * A frame is slow if it takes longer than this, from its start to the next repaint: on an old phone, or without a
 * graphics card.
 */
const SLOW_MS = 50;
const LONGEST_PAUSE_MS = 1000;

/**
 * The pause between a frame that took `costMs` and the next repaint. After a slow frame it is as long as the frame, but
 * at most 1 s, so panels have half of the time.
 */
export function pauseAfter(costMs: number): number {
  return costMs <= SLOW_MS ? 0 : Math.min(costMs, LONGEST_PAUSE_MS);
}
