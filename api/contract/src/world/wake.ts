import { z } from 'zod';

export const WAKE_KINDS = ['spoken_to', 'arrived', 'handed', 'item_seen', 'met'] as const;
/** Why an agent should look up now instead of at its next turn. `seq` is that of the event behind it. */
export const Wake = z.strictObject({
  seq: z.int().min(1),
  tick: z.int().min(0),
  kind: z.enum(WAKE_KINDS),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
});
export type Wake = z.infer<typeof Wake>;
