import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, exchangeAgentToken, ProblemError } from '@hamlet/contract/resident';
import type { AgentConfig, Run } from '@hamlet/contract';
import type { RuntimeRegistry } from '@hamlet/engine';
import { backoffMs } from './backoff.ts';
import { needOfRun } from './brain/board/need.ts';
import type { Need } from './brain/board/need.ts';
import { checkFolders } from './capabilities.ts';
import type { Environment } from './environment.ts';
import type { Log } from './json-log.ts';
import { createAttention } from './loop/attention.ts';
import { followWakes } from './loop/follow-wakes.ts';
import { createInbox } from './loop/inbox.ts';
import type { Desk } from './loop/look-at-board.ts';
import { createMeans } from './loop/means.ts';
import { createNeeds } from './loop/needs.ts';
import { createPen } from './loop/pen.ts';
import type { EndReason } from './loop/inbox.ts';
import { live } from './loop/village-loop.ts';
import { MemorySeed } from './memory/entity.ts';
import { forgetfulMemory, openMemory } from './memory/memory-store.ts';
import type { MemoryStore } from './memory/memory-store.ts';
import { untilPaid, watchPaidTime } from './paid/watch-paid-time.ts';
import { rememberRun } from './runs/remember-run.ts';
import { startRunWorker } from './runs/run-worker.ts';
import type { EndedRun } from './runs/take-run.ts';
import { startRuntime } from './start-runtime.ts';
import { tryLockState } from './state-lock.ts';
import type { StateLock } from './state-lock.ts';
import { exchangedToken, fixedToken } from './village/agent-token.ts';
import type { TokenSource } from './village/agent-token.ts';
import { createHttpVillage } from './village/http-village.ts';
import type { Answer, Village } from './village/village.ts';

/** How often the lock of a predecessor is tried. */
const LOCK_PAUSE_MS = 250;
const MEMORY_FILE = 'memory.jsonl';

type StartedRuntime = Awaited<ReturnType<typeof startRuntime>>;

export interface ResidentPorts {
  readonly log: Log;
  readonly runtimes: RuntimeRegistry;
  readonly now: () => number;
  readonly newId: () => string;
  readonly dice: () => number;
  readonly rest: (ms: number) => Promise<void>;
  /** Aborts when the process is told to end. */
  readonly stop: AbortSignal;
  /** Aborts a little later: a write in flight has until then. */
  readonly stopWriting: AbortSignal;
}

/** One process's life of an agent, from the lock to the end. Answers why it ended. */
export async function runResident(env: Environment, ports: ResidentPorts): Promise<EndReason> {
  const lock = await waitForLock(env, ports);
  if (lock === null) return 'stopped';
  const memory = memoryOf(env, ports.log);
  try {
    return await liveWith(memory, env, ports);
  } finally {
    memory.close();
    lock.release();
  }
}

async function waitForLock(
  { HAMLET_STATE_DIR }: Environment,
  { log, rest, stop }: ResidentPorts,
): Promise<StateLock | null> {
  for (let tries = 0; !stop.aborted; tries += 1) {
    const lock = tryLockState(HAMLET_STATE_DIR);
    if (lock !== null) return lock;
    if (tries === 0)
      log.info('waiting', {
        reason: 'WaitingForPredecessor',
        message: 'the process of the earlier cycle still holds the volume',
      });
    await rest(LOCK_PAUSE_MS);
  }
  return null;
}

async function liveWith(memory: MemoryStore, env: Environment, ports: ResidentPorts): Promise<EndReason> {
  const { log, stop } = ports;
  const village = connect(env, ports);
  const known = await untilAnswered(() => introduce(village, env.HAMLET_CYCLE), ports);
  if (typeof known === 'string') return known;
  const { config, cycle } = known;
  const paid = { village, now: ports.now, log, stop };
  const paidEnd = await untilPaid(paid);
  if (stop.aborted) return 'stopped';
  const runtime = await runtimeOf(config, env, ports);
  log.info('started', {
    cycle,
    runtime: config.runtime.name,
    lived_before: memory.livedBefore,
    loop_every_ms: config.loop_every_ms,
  });
  // A turn that hangs must not keep a pod that nobody pays.
  const { promise: unpaid, resolve: endUnpaid } = Promise.withResolvers<EndReason>();
  void watchPaidTime(paid, paidEnd).then((end) => end === 'over' && endUnpaid('unpaid'));
  try {
    return await Promise.race([unpaid, liveOn({ village, memory, config, cycle, runtime }, ports)]);
  } finally {
    await runtime.terminate();
  }
}

/** Checks the folders and starts the runtime; the log warns of what either lacks. */
async function runtimeOf(
  config: AgentConfig,
  env: Environment,
  { runtimes, log, stop }: ResidentPorts,
): Promise<StartedRuntime> {
  const { HAMLET_WORKSPACE_DIR: workspace, HAMLET_MEMORY_DIR: memory } = env;
  for (const warning of checkFolders({ workspace, memory })) log.warn('capability', warning);
  const runtime = await startRuntime(runtimes, {
    config,
    workspacePath: workspace,
    memoryPath: join(memory, MEMORY_FILE),
    stop,
  });
  if (runtime.warning !== null) log.warn('capability', runtime.warning);
  return runtime;
}

interface Life {
  readonly village: Village;
  readonly memory: MemoryStore;
  readonly config: AgentConfig;
  readonly cycle: number;
  readonly runtime: StartedRuntime;
}

/** The loop of turns, with the runs and the stream of wakes beside it. Answers why it ended. */
function liveOn({ village, memory, config, cycle, runtime }: Life, ports: ResidentPorts): Promise<EndReason> {
  const { log, rest, dice, stop, newId } = ports;
  const inbox = createInbox();
  stop.addEventListener('abort', () => inbox.end('stopped'), { once: true });
  if (stop.aborted) inbox.end('stopped');
  const attention = createAttention();
  const { agent_id: agentId, repository, seed } = config;
  const { voice, execute } = runtime;
  const onStale = () => inbox.end('stale');
  const desk = deskOf(village, log);
  const onEnded = (run: Run, ended: EndedRun) => {
    rememberRun(memory, run, ended.summary);
    if (ended.state === 'failed' && ended.error !== undefined)
      desk.needs.add(needOfRun(run.run_id, run.prompt, ended.error));
    inbox.nudge();
  };
  const stepsMax = () => desk.means.plan?.toolCalls ?? null;
  const shared = { village, cycle, log, rest, dice };
  const runs = startRunWorker({
    ...shared,
    agentId,
    attention,
    execute,
    repository,
    seed,
    onEnded,
    stepsMax,
    stop,
    onStale,
  });
  void followWakes({ ...shared, inbox, runs, stop });
  return live({ ...shared, voice, memory, attention, desk, newId, inbox });
}

/** What the agent writes on the board with. A model that it may not use is a need like any other. */
function deskOf(village: Village, log: Log): Desk {
  const needs = createNeeds();
  const onNeed = (need: Need) => {
    log.info('blocked', { subject: need.subject });
    needs.add(need);
  };
  return {
    needs,
    means: createMeans(() => village.models()),
    pen: createPen({ complete: (body) => village.complete(body), onNeed }),
  };
}

function connect(env: Environment, { now, stop, stopWriting }: ResidentPorts): Village {
  const tokens = tokenSource(env, now);
  const client = createClient({ baseUrl: env.HAMLET_API_URL, token: () => tokens.get() });
  return createHttpVillage({ client, tokens, agentId: env.HAMLET_AGENT_ID, stopReading: stop, stopWriting });
}

function tokenSource(
  { HAMLET_AGENT_TOKEN, HAMLET_TOKEN_FILE = '', HAMLET_API_URL }: Environment,
  now: () => number,
): TokenSource {
  if (HAMLET_AGENT_TOKEN !== undefined) return fixedToken(HAMLET_AGENT_TOKEN);
  // The kubelet replaces the file as the token ages: it is read anew for each exchange.
  const client = createClient({ baseUrl: HAMLET_API_URL, token: () => readFileSync(HAMLET_TOKEN_FILE, 'utf8').trim() });
  return exchangedToken(async () => {
    const outcome = await client.call(exchangeAgentToken, {});
    if (!outcome.ok) throw new ProblemError(outcome.problem);
    return outcome.data;
  }, now);
}

/** Asks the api who the agent is, and which cycle this is where the environment does not say. */
async function introduce(
  village: Village,
  givenCycle: number | undefined,
): Promise<Answer<{ config: AgentConfig; cycle: number }>> {
  const config = await village.config();
  if (config.kind !== 'ok') return config;
  if (givenCycle !== undefined) return { kind: 'ok', value: { config: config.value, cycle: givenCycle } };
  const standing = await village.standing();
  return standing.kind === 'ok'
    ? { kind: 'ok', value: { config: config.value, cycle: standing.value.cycle } }
    : standing;
}

/** Asks until there is an answer. A refusal is asked again too: an Agent may not be known to the api yet. */
async function untilAnswered<T>(
  ask: () => Promise<Answer<T>>,
  { log, rest, dice, stop }: ResidentPorts,
): Promise<T | EndReason> {
  for (let failures = 1; !stop.aborted; failures += 1) {
    const answer = await ask();
    if (answer.kind === 'ok') return answer.value;
    if (answer.kind === 'stale') return 'stale';
    log.warn('village_unreachable', {
      why: answer.kind === 'refused' ? `${answer.code}: ${answer.detail}` : answer.why,
      failures,
    });
    await rest(backoffMs(failures, dice()));
  }
  return 'stopped';
}

/** The memory on the volume; where that cannot be used, one for this process, and a warning. */
function memoryOf({ HAMLET_MEMORY_DIR, HAMLET_MEMORY_SEED }: Environment, log: Log): MemoryStore {
  const seed = readSeed(HAMLET_MEMORY_SEED);
  try {
    return openMemory({ path: join(HAMLET_MEMORY_DIR, MEMORY_FILE), seed });
  } catch (error) {
    log.warn('capability', {
      code: 'memory_unusable',
      message: `what is remembered now is lost at the end: ${error instanceof Error ? error.message : String(error)}`,
    });
    return forgetfulMemory(seed);
  }
}

function readSeed(path: string): MemorySeed {
  return MemorySeed.parse(JSON.parse(readFileSync(path, 'utf8')));
}
