import { z } from 'zod';
import { plainText, Time } from '../values/scalars.ts';

export const MODERATION_NOTE_MAX_CHARS = 500;

export const MODERATION_REASONS = ['spam', 'abuse', 'dangerous', 'private', 'off_topic', 'other'] as const;
export const ModerationReason = z.enum(MODERATION_REASONS);
export type ModerationReason = z.infer<typeof ModerationReason>;

export const ModerationText = plainText(MODERATION_NOTE_MAX_CHARS).trim().min(1);

/** `keep` dismisses the flags; `undo` reverses the newest decision. */
export const Decision = z.enum(['hide', 'restore', 'keep', 'undo']);
export type Decision = z.infer<typeof Decision>;

/** Cause of hiding: an admin, or the weight of flags until an admin decides. */
export const ModerationNote = z.strictObject({
  reason: ModerationReason,
  note: z.string().nullable(),
  by: z.enum(['admin', 'flags']),
  at: Time,
});
export type ModerationNote = z.infer<typeof ModerationNote>;
