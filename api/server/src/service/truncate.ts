import { RUN_EVENT_TEXT_MAX_CHARS } from '@hamlet/contract';

export function truncate(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars)}…`;
}

/** Truncates a text for an event of a run. The mark of the cut adds one character. */
export const eventText = (text: string): string => truncate(text, RUN_EVENT_TEXT_MAX_CHARS - 1);
