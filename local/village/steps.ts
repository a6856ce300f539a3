/** The terminal: long work as numbered, timed steps, and questions before irreversible actions. */
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline/promises';
import { Failure } from './failure.ts';
import { stateFile } from './paths.ts';

/** A running step is printed again after this time, so that a slow one does not look hung. */
const REMIND_MS = 10_000;

export interface StepContext {
  /** Reports the current activity, which the terminal shows beside a slow step. */
  readonly doing: (text: string) => void;
  /** Log file of the step's programs. */
  readonly log: string;
}

export interface Step {
  readonly name: string;
  /** Returns a short outcome, or nothing. */
  readonly work: (context: StepContext) => Promise<string | undefined> | Promise<void>;
}

/** Runs steps in order until one throws. */
export async function runSteps(title: string, steps: readonly Step[]): Promise<void> {
  const started = performance.now();
  console.log(title);
  for (const [index, step] of steps.entries()) {
    await runStep(`[${String(index + 1).padStart(2)}/${steps.length}] ${step.name}`, step);
  }
  console.log(`done in ${seconds(started)}`);
}

async function runStep(label: string, step: Step): Promise<void> {
  const started = performance.now();
  let doing = '';
  const reminder = setInterval(() => {
    console.log(`${label} … ${seconds(started)}${doing === '' ? '' : ` · ${doing.slice(0, 120)}`}`);
  }, REMIND_MS);
  try {
    const outcome = await step.work({
      doing: (text) => (doing = text.trim() === '' ? doing : text.trim()),
      log: stateFile('log', `${step.name.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase()}.log`),
    });
    console.log(`${label} ✓ ${seconds(started)}${outcome === undefined ? '' : ` · ${outcome}`}`);
  } catch (error) {
    console.log(`${label} ✗ ${seconds(started)}`);
    throw error;
  } finally {
    clearInterval(reminder);
  }
}

function seconds(started: number): string {
  return `${((performance.now() - started) / 1000).toFixed(1)} s`;
}

/**
 * Asks a person a question; throws unless the answer is yes. `beforehand` is the advice for a run without a terminal.
 */
export async function confirm(question: string, beforehand: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw new Failure('confirmation needs a terminal, and stdin is none; nothing was changed', beforehand);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`${question} [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new Failure('not confirmed; nothing was changed');
}
