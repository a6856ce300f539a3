import { RUN_PROMPT_MAX_CHARS } from '@hamlet/contract';
import { shorten } from '../values/shorten.ts';

/** An ended run, whose work another run continues. `report`: its last words; empty if it gave none. */
export interface EndedRun {
  readonly runId: string;
  readonly prompt: string;
  readonly report: string;
}

/** The prompt of a run that continues another: the words of the person first, then as much of the task and of the report as fits. Pure. */
export function continuedPrompt(words: string, { runId, prompt, report }: EndedRun): string {
  const begin = `${words}\n\nThis continues the run ${runId}, which has ended. Look at what it left before you begin. Its task:\n\n`;
  const middle = '\n\nIts last report:\n\n';
  const room = Math.max(0, RUN_PROMPT_MAX_CHARS - begin.length - middle.length);
  const task = shorten(prompt, Math.max(Math.ceil(room / 2), room - report.length));
  const last = report === '' ? '' : `${middle}${shorten(report, room - task.length)}`;
  return shorten(`${begin}${task}${last}`, RUN_PROMPT_MAX_CHARS);
}

/** The end of the person's words, as `continuedPrompt` writes it. */
const CONTINUES = /\n\nThis continues the run [0-9a-f-]{36}, which has ended\./;

/** The words of the person in the prompt of a run, without the report of an agent that it continues. Pure. */
export const wordsOfPerson = (prompt: string): string => prompt.split(CONTINUES, 1)[0] ?? '';
