import type { HandsActivity } from '@hamlet/contract';

const SENTENCES: Readonly<Record<HandsActivity, string>> = {
  typing: 'is typing',
  reading: 'is reading files',
  browsing: 'is browsing',
  building: 'is building and testing',
  working: 'is working with a tool',
  waiting: 'waits for a permission',
};

/** The activity of an agent's hands, as a sentence without its name. */
export const handsSentence = (activity: HandsActivity): string => SENTENCES[activity];
