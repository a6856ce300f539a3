/** Asks a person before something that cannot be undone. */
import { createInterface } from 'node:readline/promises';
import { Failure } from './failure.ts';

/** Returns once somebody at the terminal said yes; fails otherwise. `beforehand` says how to answer without a terminal. */
export async function confirm(question: string, beforehand: string): Promise<void> {
  if (!process.stdin.isTTY) throw new Failure('nobody is there to say yes; nothing was changed', beforehand);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`${question} [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new Failure('not confirmed; nothing was changed');
}
