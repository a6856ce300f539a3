import { randomUUIDv7 } from 'node:crypto';
import { flushCompileCache } from 'node:module';
import { helpText, parseEnvironment } from './process/environment.ts';
import { createLog } from './process/json-log.ts';
import { restUntil } from './process/rest.ts';
import { runResident, type ResidentPorts } from './resident.ts';
import { RUNTIMES } from './runtimes.ts';

/** After a signal, a write in flight may take this long; the process ends within a second. */
const FINISH_WRITES_MS = 700;
const END_MS = 950;
/** While an engine works on a run, its calls may take 8 s. The pod is killed after 10 s. */
const FINISH_WORK_MS = 9_000;
const END_WITH_RUNS_MS = 9_500;

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
  const ending = stopSignals();
  const machine = { now: Date.now, newId: randomUUIDv7, random: Math.random };
  const why = await runResident(env, { ...machine, log, runtimes: RUNTIMES, rest: restUntil(ending.stop), ...ending });
  log.info('ended', { why });
  return 0;
}

type Ending = Pick<ResidentPorts, 'stop' | 'stopWriting' | 'stopWork' | 'onBusy'>;

/** SIGTERM and SIGINT abort reads at once, writes after FINISH_WRITES_MS, and the process after END_MS, or later during runs. */
function stopSignals(): Ending {
  const [reading, writing, working] = [new AbortController(), new AbortController(), new AbortController()];
  let isBusy = (): boolean => false;
  const stop = () => {
    reading.abort();
    const endMs = isBusy() ? END_WITH_RUNS_MS : END_MS;
    setTimeout(() => writing.abort(), FINISH_WRITES_MS).unref();
    setTimeout(() => working.abort(), FINISH_WORK_MS).unref();
    setTimeout(() => process.exit(0), endMs).unref();
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  const onBusy: Ending['onBusy'] = (ask) => {
    isBusy = ask;
  };
  return { stop: reading.signal, stopWriting: writing.signal, stopWork: working.signal, onBusy };
}

// Node keeps the code for its cache in memory, beside the compiled code, until a flush.
flushCompileCache();
// The open stream of wakes would otherwise keep the process alive after a newer cycle has begun.
process.exit(await main());
