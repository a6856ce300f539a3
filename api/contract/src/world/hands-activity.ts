import { z } from 'zod';

/** The kinds of what an agent does with its hands, as everybody may see them. `working`: another tool. `waiting`: people are asked for a permission. */
export const HANDS_ACTIVITIES = ['typing', 'reading', 'browsing', 'building', 'working', 'waiting'] as const;
export const HandsActivity = z.enum(HANDS_ACTIVITIES);
export type HandsActivity = z.infer<typeof HandsActivity>;

/** Agents in one message; the others follow when some of these are done. */
export const HANDS_SHOWN_MAX = 2_000;

/**
 * A text message beside the frames of `/ws/world`: agents that began, changed or ended (null) what they do with their hands. With
 * `reset` it names all of them, and the viewer forgets the others.
 */
export const HandsMessage = z.strictObject({
  type: z.literal('hands'),
  reset: z.boolean(),
  agents: z.record(z.string().max(63), HandsActivity.nullable()),
});
export type HandsMessage = z.infer<typeof HandsMessage>;
