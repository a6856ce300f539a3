import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentConfig, Run } from '@hamlet/contract';
import type { RuntimeRegistry } from '@hamlet/engine';
import { acpRuntimes } from './acp/open-acp.ts';
import { requestAfterRun } from './brain/board/help-request.ts';
import { ServerStates } from './capabilities/server-states.ts';
import { createBodyLock, type BodyLock } from './engine/body-lock.ts';
import { openModelDoor, type ModelDoor } from './door/model-door.ts';
import { ModelKeys } from './door/model-keys.ts';
import { createThinking, type Thinking } from './engine/thinking.ts';
import { createHandsPlace, machineIn, skillStoreIn, toolsOf, workTreesIn } from './tools-of.ts';
import { handsPrograms, runsInHands } from './hands/hands-programs.ts';
import { readWorkTree } from './hands/repository/read-work-tree.ts';
import type { Repository } from './hands/repository/work-trees.ts';
import { createRunBook } from './engine/run-book.ts';
import { startLoopbackProxy, type LoopbackProxy } from './hands/loopback-proxy.ts';
import { LOOPBACK_PROXY } from './hands/proxy-environment.ts';
import type { Refusals } from './hands/refusals.ts';
import type { SkillStore } from './skills/skill-store.ts';
import { createAside } from './loop/act.ts';
import { createBoardKit } from './loop/board-kit.ts';
import { followWakes } from './loop/follow-wakes.ts';
import { createInbox, type EndReason, type Inbox } from './loop/inbox.ts';
import { createThinker, type Thinker } from './loop/thinker.ts';
import { recallMind } from './loop/reflect.ts';
import { runTurns } from './loop/turn-loop.ts';
import { DIARY, entityOf, MemorySeed } from './memory/entity.ts';
import { createAgentMemory, openAgentMemory, type AgentMemory, type OpenedMemory } from './memory/agent-memory.ts';
import type { LifeStore } from './memory/life-store.ts';
import { keepEntry, recallPublic, type OwnMemory } from './memory/own-memory.ts';
import { memoryFileOf, type MemoryPlace } from './memory/files/memory-files.ts';
import { createRepositoryMemory } from './memory/repository-memory.ts';
import type { Environment } from './process/environment.ts';
import type { Log } from './process/json-log.ts';
import { untilPaid, watchPaidTime } from './process/paid-time.ts';
import { tryLockState, type StateLock } from './process/state-lock.ts';
import { LateChildRuns } from './runs/child-runs.ts';
import { createRunMemory, type RunMemory } from './runs/run-memory.ts';
import { startRunWorker } from './runs/run-worker.ts';
import { createAsyncEvent, type AsyncEvent } from './process/async-event.ts';
import type { EndedRun } from './runs/settlement.ts';
import { END_WORDS } from './runs/words-of-run.ts';
import { createTurnGate, type TurnGate } from './runs/turn-gate.ts';
import { checkFolders, createRuntimePool, runtimeNameOf, type RuntimePool } from './runtime/runtime-pool.ts';
import { SPEECH, voiceOf } from './runtime/voice.ts';
import { workflowRuntimes } from './workflow/open-workflow.ts';
import { connect, type Connection, type ConnectionPorts } from './process/connection.ts';
import { introduce, untilAnswered } from './process/introduce.ts';

const LOCK_PAUSE_MS = 250;
const MEMORY_FILE = 'memory.jsonl';
const JOURNAL_FILE = 'journal.sqlite';
/** After the signal to end, the runs of an engine may take this long. The grace period of a pod is 10 s. */
const FINISH_RUNS_MS = 9_000;

export interface ResidentPorts extends ConnectionPorts {
  readonly log: Log;
  readonly runtimes: RuntimeRegistry;
  readonly newId: () => string;
  readonly random: () => number;
  readonly rest: (ms: number) => Promise<void>;
  /** Receives a function that returns true while the process needs the time until `stopWork`. */
  readonly onBusy: (isBusy: () => boolean) => void;
}

/** Runs one agent until the process must end; resolves with the reason. */
export async function runResident(env: Environment, ports: ResidentPorts): Promise<EndReason> {
  const lock = await waitForLock(env, ports);
  if (lock === null) return 'stopped';
  const seed = MemorySeed.parse(JSON.parse(readFileSync(env.HAMLET_MEMORY_SEED, 'utf8')));
  const memory = await openAgentMemory(env, { seed, log: ports.log });
  try {
    return await runWith(memory, env, ports);
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
    const message = 'the resident of the previous cycle still holds the volume';
    if (tries === 0) log.info('waiting', { reason: 'WaitingForPredecessor', message });
    await rest(LOCK_PAUSE_MS);
  }
  return null;
}

async function runWith(memories: OpenedMemory, env: Environment, ports: ResidentPorts): Promise<EndReason> {
  const { log, stop } = ports;
  const connection = connect(env, ports);
  const { village } = connection;
  const known = await untilAnswered(() => introduce(village, env.HAMLET_CYCLE), ports);
  if (typeof known === 'string') return known;
  const { config, cycle } = known;
  const paid = { village, now: ports.now, log, stop };
  const paidEnd = await untilPaid(paid);
  if (stop.aborted) return 'stopped';
  const leave = new AbortController();
  const leaving = AbortSignal.any([stop, leave.signal]);
  const { life } = memories;
  const memory = createAgentMemory({
    ...memories,
    folder: env.HAMLET_MEMORY_DIR,
    cycle,
    work: connection.work,
    now: ports.now,
    log,
  });
  void memory.run(leaving);
  const mind = mindOf({ env, memory, connection, config, leaving }, ports);
  ports.onBusy(() => mind.thinking.book.size > 0);
  await warnOf(mind, config, { env, log });
  const proxy = await openProxy(env, { ...connection, ...mind }, log);
  const door = await openDoor(env, { ...connection, keys: mind.keys }, log);
  const { loop_every_ms } = config;
  log.info('started', { cycle, runtime: runtimeNameOf(config), lived_before: life.livedBefore, loop_every_ms });
  // A hanging turn must not keep an unpaid pod running.
  const { promise: unpaid, resolve: endUnpaid } = Promise.withResolvers<EndReason>();
  void watchPaidTime(paid, paidEnd).then((end) => end === 'over' && endUnpaid('unpaid'));
  void watchMind({ ...connection, ...mind, env, config, cycle, leaving }, proxy !== null, ports);
  const loop = loopOf({ ...connection, ...mind, env, life, config, cycle, leaving }, ports);
  try {
    return await Promise.race([unpaid, loop.ended]);
  } finally {
    leave.abort();
    proxy?.close();
    door?.close();
    if (mind.thinking.book.size > 0) await Promise.race([loop.runsLeft(), delay(FINISH_RUNS_MS)]);
    await mind.runtimes.terminate();
    await mind.thinking.end();
  }
}

/** Opens the way out of the pod. If that fails, the agent continues, and reaches only the village. */
async function openProxy(
  { HAMLET_BROKER_URL: broker }: Environment,
  { tokens, refusals, thinking: { book } }: Pick<Connection, 'tokens'> & Pick<Mind, 'refusals' | 'thinking'>,
  log: Log,
): Promise<LoopbackProxy | null> {
  if (broker === undefined) return null;
  try {
    const way = { ...LOOPBACK_PROXY, broker: new URL(broker) };
    const runOf = (named: string): string | null => (book.isStandIn(named) ? (book.find(named)?.runId ?? null) : named);
    return await startLoopbackProxy({ ...way, token: () => tokens.get(), runOf, refusals });
  } catch (error) {
    const message = `cannot open the proxy of the pod, so its programs reach nothing outside: ${error instanceof Error ? error.message : String(error)}`;
    log.warn('capability', { code: 'proxy_unusable', message });
    return null;
  }
}

/** Opens the door to the village's models for programs in the hands. If that fails, only the agent itself uses models. */
async function openDoor(
  { HAMLET_HANDS_SOCKET: hands, HAMLET_API_URL: api }: Environment,
  { tokens, keys }: Pick<Connection, 'tokens'> & Pick<Mind, 'keys'>,
  log: Log,
): Promise<ModelDoor | null> {
  if (hands === undefined) return null;
  try {
    const door = await openModelDoor({ api, tokens, keys });
    keys.openedAt(door.port);
    return door;
  } catch (error) {
    const message = `cannot open the door to models, so programs in the hands have none: ${error instanceof Error ? error.message : String(error)}`;
    log.warn('capability', { code: 'door_unusable', message });
    return null;
  }
}

async function watchMind(parts: Omit<Parts, 'life'>, hasProxy: boolean, ports: ResidentPorts): Promise<void> {
  const { env, config, cycle, village, work, skills, states, thinking, runtimes, leaving } = parts;
  const { HAMLET_BROKER_URL: broker, HAMLET_WORKSPACE_DIR: workspace, HAMLET_MEMORY_DIR: memory } = env;
  const { watchCapabilities } = await import('./capabilities/watch-capabilities.ts');
  const shared = { cycle, work, skills, servers: states, hasProxy, folders: { workspace, memory }, stop: leaving };
  await watchCapabilities(
    {
      ...ports,
      ...shared,
      village,
      machine: machineIn(env),
      runtime: (present) => runtimes.obtain(present, SPEECH),
      runtimeChanged: runtimes.runtimeChanged,
      openServers: ({ runtime, model }) => thinking.isReady(runtimeNameOf({ runtime, model })),
      broker: broker === undefined ? null : new URL(broker),
    },
    config,
  );
}

async function warnOf(
  { runtimes }: Pick<Mind, 'runtimes'>,
  config: AgentConfig,
  { env, log }: { readonly env: Environment; readonly log: Log },
): Promise<void> {
  const { HAMLET_WORKSPACE_DIR: workspace, HAMLET_MEMORY_DIR: memory } = env;
  for (const warning of checkFolders({ workspace, memory })) log.warn('capability', warning);
  const obtained = await runtimes.obtain(config, SPEECH);
  if (!obtained.ok) log.warn('capability', obtained.warning);
}

interface Mind {
  readonly thinking: Thinking;
  readonly runtimes: RuntimePool;
  readonly arrival: AsyncEvent;
  readonly body: BodyLock;
  readonly childRuns: LateChildRuns;
  readonly skills: SkillStore;
  readonly states: ServerStates;
  readonly refusals: Refusals;
  readonly keys: ModelKeys;
  readonly runMemory: RunMemory;
  readonly ownMemory: OwnMemory;
  readonly reader: AgentMemory['reader'];
}

interface MindParts {
  readonly memory: AgentMemory;
  readonly env: Environment;
  readonly connection: Connection;
  readonly config: AgentConfig;
  readonly leaving: AbortSignal;
}

function mindOf(
  { env, memory: { ownMemory, reader, catchUp }, connection, config, leaving: stop }: MindParts,
  { log, rest, random, runtimes: registry }: ResidentPorts,
): Mind {
  const { HAMLET_STATE_DIR: state, HAMLET_AGENT_ID: agentId, HAMLET_API_URL: url, HAMLET_HANDS_SOCKET: socket } = env;
  const { lastVillage: village, work, tokens } = connection;
  const arrival = createAsyncEvent();
  const body = createBodyLock();
  const childRuns = new LateChildRuns();
  const skills = skillStoreIn(env, work);
  const states = new ServerStates();
  const [retries, book] = [{ rest, random }, createRunBook()];
  const repositoryMemory = createRepositoryMemory({ ...retries, work, book });
  const keys = new ModelKeys(book);
  const place = createHandsPlace(env, { ...retries, work, book, memory: repositoryMemory, ownMemory, keys, log });
  const runMemory = createRunMemory({ ...retries, ownMemory, catchUp, work, book, log, stop });
  const thinking = createThinking({
    ...retries,
    book,
    onSummary: (summary) => runMemory.summarized(summary),
    journalPath: join(state, JOURNAL_FILE),
    work,
    ownMemory,
    catchUp,
    repositoryMemory,
    skills,
    machine: machineIn(env),
    log,
    stop,
    programs: socket === undefined ? null : handsPrograms(socket, place),
    keepMemory: place.keepMemory,
    model: async () => {
      const { createModelPort } = await import('./engine/model-port.ts');
      const leaseOf = (run: string): number | null => book.find(run)?.lease.attempt ?? null;
      return createModelPort({
        url,
        tokens,
        leaseOf,
        onStale: (run) => book.find(run)?.onLeaseLost(),
        onRefused: (run, code, words) => void book.find(run)?.refusals.set(code, words),
      });
    },
    tools: (mirrored) => {
      const own = { agentId, ownMemory, repositoryMemory, body, childRuns, arrival };
      return toolsOf({ ...retries, ...own, village, work, book, mirrored, stop }, { env, place, config, log, states });
    },
  });
  const shared = { ...retries, env, book, work };
  const acp = acpRuntimes({ ...shared, place, config, log });
  const workflow = workflowRuntimes({ ...shared, village, childRuns, engineHost: thinking.engineHost });
  const folders = { workspacePath: env.HAMLET_WORKSPACE_DIR, memoryPath: memoryPathIn(env, null) };
  const own = { arrival, body, childRuns, skills, states, keys, ownMemory, reader };
  return {
    ...own,
    thinking,
    refusals: place.refusals,
    runMemory,
    runtimes: createRuntimePool({ registry: { ...registry, acp, workflow }, host: thinking.host, ...folders }),
  };
}

interface Parts extends Connection, Mind {
  readonly env: Environment;
  readonly life: LifeStore;
  readonly config: AgentConfig;
  readonly cycle: number;
  readonly leaving: AbortSignal;
}

/** Composes the loop of turns, the worker for runs and the stream of wakes. `ended` resolves when the loop ends. */
function loopOf(parts: Parts, ports: ResidentPorts): { readonly ended: Promise<EndReason>; runsLeft(): Promise<void> } {
  const { village, work, life, config, cycle, env, runtimes, thinking, arrival, body, childRuns, leaving, ownMemory } =
    parts;
  const { log, rest, random, stop, newId } = ports;
  const inbox = createInbox();
  stop.addEventListener('abort', () => inbox.end('stopped'), { once: true });
  if (stop.aborted) inbox.end('stopped');
  const boardKit = createBoardKit(village, log);
  const onEnded = (run: Run, ended: EndedRun, hasModel: boolean) => {
    inbox.nudge();
    // The words of a model and of a session may be private. Diary and board are public.
    if (hasModel || run.session_id !== null) return;
    rememberRun(life, run, ended.state);
    if (ended.state === 'failed' && ended.error !== undefined)
      boardKit.requests.add(requestAfterRun(run.run_id, ended.error));
  };
  const shared = { village, cycle, log, rest, random, turnGate: createTurnGate() };
  const { HAMLET_HANDS_SOCKET: socket } = env;
  const workTreeOf = (repository: Repository | null) => readWorkTree(repository, workTreesIn(env));
  const runs = startRunWorker({
    ...shared,
    ...(socket === undefined ? {} : { runsInHands: () => runsInHands(socket) }),
    workTreeOf,
    memoryPathOf: (place) => memoryPathIn(env, place),
    work,
    runtimes,
    thinking,
    arrival,
    body,
    agentId: config.agent_id,
    onEnded,
    memory: parts.runMemory,
    life: () => recallMind(life).life,
    stepsMax: () => boardKit.planner.plan?.toolCalls ?? null,
    stop: leaving,
    onStale: () => inbox.end('stale'),
  });
  childRuns.serve(runs.takeBeside);
  void followWakes({ ...shared, inbox, runs, stop });
  const thinker = thinkerOf(parts, ports, { inbox, turnGate: shared.turnGate });
  const voice = voiceOf({ runtimes, stop, workTreeOf, memoryPath: memoryPathIn(env, null) });
  const ended = runTurns({
    ...shared,
    voice,
    memory: life,
    boardKit,
    thinker,
    aside: createAside(log),
    newId,
    inbox,
    keepEntry: (entry) => keepEntry(ownMemory, entry),
  });
  return { ended, runsLeft: () => runs.ended };
}

function thinkerOf(
  { village, life, ownMemory, reader }: Parts,
  { stop, log }: ResidentPorts,
  { inbox, turnGate }: { readonly inbox: Inbox; readonly turnGate: TurnGate },
): Thinker {
  return createThinker({
    complete: village.decide,
    diary: () => life.diary().flatMap(({ observations }) => observations),
    recall: (text) => recallPublic(ownMemory, text),
    ...(reader !== undefined && { reader }),
    quiet: () => turnGate.quiet,
    onThought: () => inbox.nudge(),
    stop,
    log,
  });
}

/** Adds a run to the diary without its words, because the agent speaks about its diary. A full disk fails only the memory. */
function rememberRun(life: LifeStore, { run_id, schedule }: Run, state: EndedRun['state']): void {
  const giver = schedule === null ? 'A person' : `The schedule ${schedule.name}`;
  try {
    life.remember(entityOf(run_id, DIARY, [`${giver} gave me work. ${END_WORDS[state]}`]));
  } catch {
    // The run has not failed, because the API has stored it.
  }
}

/** The memory file of a repository in the hands; without hands, the agent's own. */
const memoryPathIn = (env: Environment, place: MemoryPlace | null): string =>
  env.HAMLET_HANDS_SOCKET === undefined
    ? join(env.HAMLET_MEMORY_DIR, MEMORY_FILE)
    : join(env.HAMLET_HANDS_HOME, memoryFileOf(place));
