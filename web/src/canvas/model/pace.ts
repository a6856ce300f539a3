/** A frame is slow if it takes longer than this from its start to the next repaint. */
const SLOW_MS = 50;
const LONGEST_PAUSE_MS = 1000;

/** The pause after a slow frame: as long as the frame and at most 1 s, so that panels get half of the time. */
export function pauseAfter(costMs: number): number {
  return costMs <= SLOW_MS ? 0 : Math.min(costMs, LONGEST_PAUSE_MS);
}
