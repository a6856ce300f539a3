import { z } from 'zod';
import { plainText } from '../plain-text.ts';
import { Time } from '../routes/scalars.ts';

export const MODERATION_NOTE_MAX_CHARS = 500;

/** Why something should not be on the board. */
export const MODERATION_REASONS = ['spam', 'abuse', 'dangerous', 'private', 'off_topic', 'other'] as const;
export const ModerationReason = z.enum(MODERATION_REASONS);
export type ModerationReason = z.infer<typeof ModerationReason>;

export const ModerationText = plainText(MODERATION_NOTE_MAX_CHARS).trim().min(1);

/** `hide` takes it away, `restore` brings it back, `keep` dismisses the flags, `undo` takes back the last decision that was not taken back. */
export const DECISIONS = ['hide', 'restore', 'keep', 'undo'] as const;
export const Decision = z.enum(DECISIONS);
export type Decision = z.infer<typeof Decision>;

/** Why a post or reply is hidden: by an admin, or by the weight of its flags until an admin has looked. */
export const ModerationNote = z.strictObject({
  reason: ModerationReason,
  note: z.string().nullable(),
  by: z.enum(['admin', 'flags']),
  at: Time,
});
export type ModerationNote = z.infer<typeof ModerationNote>;
