import { RUN_EVENT_TEXT_MAX_CHARS } from '@hamlet/contract';

export function truncate(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars)}…`;
}

/** A text as an event of a run has it: the mark of a cut is one more character. */
export const eventText = (text: string): string => truncate(text, RUN_EVENT_TEXT_MAX_CHARS - 1);
