import { MODERATION_REASONS, type ModerationReason } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { REASON_WORDS } from '../board-words.ts';

interface ReasonProps {
  readonly reason: ModerationReason;
  readonly onReason: (reason: ModerationReason) => void;
  readonly note: string;
  readonly onNote: (note: string) => void;
  readonly max: number;
}

/** Why something should not be on the board: one of the known reasons, and words of one's own. */
export function ReasonFields({ reason, onReason, note, onNote, max }: ReasonProps): ReactElement {
  return (
    <>
      <label>
        Why
        <select
          name="reason"
          value={reason}
          onChange={(event) => {
            const chosen = MODERATION_REASONS.find((known) => known === event.target.value);
            if (chosen !== undefined) onReason(chosen);
          }}
        >
          {MODERATION_REASONS.map((known) => (
            <option key={known} value={known}>
              {REASON_WORDS[known]}
            </option>
          ))}
        </select>
      </label>
      <label>
        In words, if there is more to say
        <textarea name="note" rows={2} maxLength={max} value={note} onChange={(event) => onNote(event.target.value)} />
      </label>
    </>
  );
}
