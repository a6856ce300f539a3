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
  /** Name of an earlier step: the work starts together with that step. By default it starts when its turn comes. */
  readonly startsWith?: string;
}

interface RunningStep {
  readonly outcome: Promise<string | undefined | void>;
  readonly activity: () => string;
}

/** Runs steps in order until one throws. Steps that started early then still end. */
export async function runSteps(title: string, steps: readonly Step[]): Promise<void> {
  const started = performance.now();
  const running = new Map<Step, RunningStep>();
  console.log(title);
  try {
    for (const [index, step] of steps.entries()) {
      const starting = [step, ...steps.filter(({ startsWith }) => startsWith === step.name)];
      for (const each of starting) running.set(each, running.get(each) ?? startStep(each));
      await finishStep(`[${String(index + 1).padStart(2)}/${steps.length}] ${step.name}`, running.get(step));
    }
  } finally {
    await Promise.allSettled([...running.values()].map(({ outcome }) => outcome));
  }
  console.log(`done in ${seconds(started)}`);
}

function startStep({ name, work }: Step): RunningStep {
  let activity = '';
  const outcome = work({
    doing: (text) => (activity = text.trim() === '' ? activity : text.trim()),
    log: stateFile('log', `${name.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase()}.log`),
  });
  // The failure of an early step is reported when its turn comes.
  outcome.catch(() => undefined);
  return { outcome, activity: () => activity };
}

/** Waits for a step, and prints its progress and result. */
async function finishStep(label: string, step: RunningStep | undefined): Promise<void> {
  const started = performance.now();
  const reminder = setInterval(() => {
    const activity = step?.activity() ?? '';
    console.log(`${label} … ${seconds(started)}${activity === '' ? '' : ` · ${activity.slice(0, 120)}`}`);
  }, REMIND_MS);
  try {
    const outcome = await step?.outcome;
    console.log(`${label} ✓ ${seconds(started)}${outcome === undefined ? '' : ` · ${String(outcome)}`}`);
  } catch (error) {
    console.log(`${label} ✗ ${seconds(started)}`);
    throw error;
  } finally {
    clearInterval(reminder);
  }
}

const seconds = (started: number): string => `${((performance.now() - started) / 1000).toFixed(1)} s`;

/**
 * Asks a person a question; throws unless the answer is yes. `beforehand` is the advice for a run without a terminal.
 */
export async function confirm(question: string, beforehand: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw new Failure('confirmation needs a terminal, and stdin is not one; nothing was changed', beforehand);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`${question} [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new Failure('not confirmed; nothing was changed');
}
