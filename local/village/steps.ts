/** Shows long work as numbered steps with the time each takes, and what a slow one is doing meanwhile. */
import { performance } from 'node:perf_hooks';
import { stateFile } from './paths.ts';

/** A step that says nothing new is shown again after this long, so that a slow one never looks dead. */
const REMIND_MS = 10_000;

/** What a step's work may use to say how it goes. */
export interface StepContext {
  /** The latest thing the step is doing; shown when it has been slow for a while. */
  readonly doing: (text: string) => void;
  /** File that the step's programs log to. */
  readonly log: string;
}

export interface Step {
  readonly name: string;
  /** Returns a few words on the outcome, or nothing. */
  readonly work: (context: StepContext) => Promise<string | undefined> | Promise<void>;
}

/** Runs steps in order; the first that throws ends the run with its error. */
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
