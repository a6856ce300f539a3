import { createTurns } from '@hamlet/engine';
import type { Memory } from '@hamlet/engine/memory';
import { createAsyncEvent } from '../../process/async-event.ts';
import { createReporter, type Pushed, type ReporterPorts } from './memory-reporter.ts';

/** A pull waits for the exchange before it. */
const EXCHANGE = 'exchange';
/** Longest pause between two exchanges with the API. */
const EVERY_MS = 60_000;
/** Pause after a change, so that changes of one run share an exchange. */
const SETTLE_MS = 1_000;
/** Pause between the reports of a long copy, which leaves the requests of a minute to the agent's work. */
const NEXT_REPORT_MS = 3_000;
/** Maximum number of steps of maintenance after an exchange. */
const STEPS_MAX = 50;

/** The copy of the agent's memory that people read, and their changes to it. */
export interface MemoryMirror {
  /** Reports changes soon. */
  touch(): void;
  /** Applies the changes that people made. False if the API did not answer: nothing may be recalled then. */
  catchUp(): Promise<boolean>;
  /** Exchanges with the API after changes and once a minute, until the signal aborts. */
  run(stop: AbortSignal): Promise<void>;
}

export function createMemoryMirror(ports: ReporterPorts): MemoryMirror {
  const { memory, log } = ports;
  const reporter = createReporter(ports);
  const [touched, pausing] = [createAsyncEvent(), createAsyncEvent()];
  const inTurn = createTurns();
  const exchange = async (): Promise<Pushed> => ((await reporter.pull()) ? reporter.push() : 'failed');
  const warned = (error: unknown): 'failed' => {
    log.warn('memory_not_synced', { why: String(error) });
    return 'failed';
  };
  return {
    touch: touched.set,
    catchUp: () => inTurn(EXCHANGE, reporter.pull).catch(() => false),
    run: async (stop) => {
      while (!stop.aborted) {
        // A change during the exchange is for the next one.
        touched.clear();
        const pushed = await inTurn(EXCHANGE, exchange).catch(warned);
        // A recall does not wait for the maintenance.
        await maintain(memory, stop).catch(warned);
        if (pushed !== 'more') await touched.wait(EVERY_MS, stop);
        await pausing.wait(pushed === 'more' ? NEXT_REPORT_MS : SETTLE_MS, stop);
      }
    },
  };
}

/** The work of the store that can wait, in steps between which others may use it. */
async function maintain(memory: Memory, stop: AbortSignal): Promise<void> {
  for (let steps = 0; steps < STEPS_MAX && !stop.aborted; steps += 1) if (!(await memory.maintain()).more) return;
}
