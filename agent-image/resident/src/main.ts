/** The process of one agent: parses its environment and runs the resident until a signal or the resident itself ends it. */
import { randomUUIDv7 } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { helpText, parseEnvironment } from './process/environment.ts';
import { createLog } from './process/json-log.ts';
import { runResident } from './resident.ts';
import { RUNTIMES } from './runtimes.ts';

/** After a signal, a write in flight may take this long; the process ends within a second. */
const FINISH_WRITES_MS = 700;
const END_MS = 950;

async function main(): Promise<number> {
  if (process.argv.includes('--help')) {
    process.stdout.write(helpText());
    return 0;
  }
  const parsed = parseEnvironment(process.env);
  if (!parsed.ok) {
    process.stderr.write(`${parsed.message}\n`);
    return 2;
  }
  const { env } = parsed;
  const log = createLog((line) => process.stdout.write(line), Date.now, {
    agent_id: env.HAMLET_AGENT_ID,
    node: env.HAMLET_NODE_NAME,
  });
  const { stop, stopWriting } = stopSignals();
  const rest = (ms: number) => delay(ms, undefined, { signal: stop }).catch(() => {});
  const machine = { now: Date.now, newId: randomUUIDv7, random: Math.random };
  const why = await runResident(env, { ...machine, log, runtimes: RUNTIMES, rest, stop, stopWriting });
  log.info('ended', { why });
  return 0;
}

/** SIGTERM and SIGINT abort reads at once and writes after FINISH_WRITES_MS, and end the process after END_MS. */
function stopSignals(): { stop: AbortSignal; stopWriting: AbortSignal } {
  const [reading, writing] = [new AbortController(), new AbortController()];
  const stop = () => {
    reading.abort();
    setTimeout(() => writing.abort(), FINISH_WRITES_MS).unref();
    setTimeout(() => process.exit(0), END_MS).unref();
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  return { stop: reading.signal, stopWriting: writing.signal };
}

// The open stream of wakes would otherwise keep the process alive after a newer cycle has begun.
process.exit(await main());
