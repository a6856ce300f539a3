import type { RunDelta, RunEvent, RunModelDetail } from '@hamlet/contract';
import { printable } from './printable.ts';
import { runLine } from './run-lines.ts';

/**
 * Prints words as they stream and events as lines between them. Mutable: it remembers the words of the answer under
 * way, which the stored answer completes, because streamed words may be lost.
 */
export class Transcript {
  readonly #write: (text: string) => void;
  #answer = { run: '', ask: -1, attempt: -1, printed: '' };
  #isMidLine = false;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  line(text: string): void {
    this.#endLine();
    this.#write(`${text}\n`);
  }

  delta({ run_id: run, ask, attempt, text }: RunDelta): void {
    this.#begin({ run, ask, attempt });
    this.#answer.printed += text;
    this.#words(text);
  }

  event(event: RunEvent): void {
    if (event.event === 'model_answered') this.#complete(event.run_id, event.detail);
    const line = runLine(event);
    if (line !== null) this.line(`  ${line}`);
  }

  /** An answer as it is stored. Prints it unless its words have streamed. */
  answer(text: string): void {
    if (this.#answer.printed.trim() !== text.trim()) this.line(printable(text));
    else this.#endLine();
    this.#answer = { run: '', ask: -1, attempt: -1, printed: '' };
  }

  #complete(run: string, { ask, attempt, text }: RunModelDetail): void {
    if (text === null || text === '') return;
    this.#begin({ run, ask, attempt });
    const { printed } = this.#answer;
    if (text === printed) return;
    if (text.startsWith(printed)) this.#words(text.slice(printed.length));
    else this.line(printable(text));
    this.#answer.printed = text;
  }

  /** A new attempt withdraws the words of the one before it. */
  #begin({ run, ask, attempt }: { readonly run: string; readonly ask: number; readonly attempt: number }): void {
    const { run: lastRun, ask: lastAsk, attempt: lastAttempt } = this.#answer;
    if (run === lastRun && ask === lastAsk && attempt === lastAttempt) return;
    if (run === lastRun && ask === lastAsk && this.#answer.printed !== '') this.line(' … again:');
    else this.#endLine();
    this.#answer = { run, ask, attempt, printed: '' };
  }

  #endLine(): void {
    if (this.#isMidLine) this.#write('\n');
    this.#isMidLine = false;
  }

  #words(text: string): void {
    this.#write(printable(text));
    this.#isMidLine = !text.endsWith('\n');
  }
}
