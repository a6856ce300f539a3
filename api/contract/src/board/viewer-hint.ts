import { z } from 'zod';

/**
 * Reads that a page repeats after a hint. `needs`: what waits for the viewer; `unread`: texts that the viewer has not read;
 * `work`: the timeline; `agents`: agents and tiers; `freeze`: the freeze of the village.
 */
export const HINTED = ['needs', 'unread', 'work', 'agents', 'freeze'] as const;
export type Hinted = (typeof HINTED)[number];

/** A message of `WS /ws/board?hints=1`, at most one in 2 s: the answers to these reads may have changed. */
export const ViewerHint = z.strictObject({ type: z.literal('hint'), of: z.array(z.enum(HINTED)).min(1) });
export type ViewerHint = z.infer<typeof ViewerHint>;
