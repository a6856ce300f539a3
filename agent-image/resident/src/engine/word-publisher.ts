import { RUN_WORDS_MAX_CHARS } from '@hamlet/contract/resident';
import type { WorkVillage } from '../village/work-village.ts';
import type { RunBook } from './run-book.ts';

/** The wait for further words, which then go in the same request. */
const WAIT_MS = 100;
/** Words of one run that wait for a request; more are dropped, since the answer has them all. */
const MAX_WAITING_CHARS = 65_536;

export interface WordPorts {
  readonly work: Pick<WorkVillage, 'publishWords'>;
  readonly book: Pick<RunBook, 'find'>;
}

/** Sends words that the gateway does not see to the readers of a run. They may be lost. */
export interface WordPublisher {
  /** `ask` is the answer that the words will be part of. */
  add(run: string, ask: number, text: string): void;
}

/** Words of one run on their way. Mutable because they come and go. */
class Words {
  text = '';
  ask = 0;
  isSending = false;
}

export function createWordPublisher({ work, book }: WordPorts): WordPublisher {
  const waiting = new Map<string, Words>();
  const send = async (run: string, words: Words): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    for (let booked = book.find(run); booked !== undefined && words.text !== ''; booked = book.find(run)) {
      const text = words.text.slice(0, RUN_WORDS_MAX_CHARS);
      words.text = words.text.slice(text.length);
      const answer = await work.publishWords(run, booked.lease, { ask: words.ask, text });
      if (answer.kind !== 'ok') break;
    }
    waiting.delete(run);
  };
  return {
    add: (run, ask, text) => {
      const words = waiting.get(run) ?? new Words();
      waiting.set(run, words);
      if (words.text.length < MAX_WAITING_CHARS) words.text += text;
      words.ask = ask;
      if (words.isSending) return;
      words.isSending = true;
      void send(run, words).catch(() => waiting.delete(run));
    },
  };
}
