/** A frame that costs more than this, from its start to the next repaint, is slow: an old phone, or a machine without a graphics card. */
const SLOW_MS = 50;
const LONGEST_PAUSE_MS = 1000;

/**
 * How long to leave the machine to itself after a frame, so that on slow ones panels, input and everything else get half of it.
 * @param costMs from the start of the frame to the browser's next repaint
 */
export function pauseAfter(costMs: number): number {
  return costMs <= SLOW_MS ? 0 : Math.min(costMs, LONGEST_PAUSE_MS);
}
