/**
 * Electors with clocks that differ, processes that stall, die and are replaced, and a network that loses messages:
 * only the leader writes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Elector, LEASES, type Fence } from '@hamlet/kube';
import { ProcessClock, SimClock } from './sim-clock.ts';
import { NO_FAULTS, SimServer } from './sim-server.ts';
import { cases, playSeeds, Seeded } from '../../env/seeded.ts';

const STORM_MS = 3 * 60_000;
const CALM_MS = 60_000;
const PROCESSES = 3;
const WINDOW_MS = 10_000;
/**
 * A process that holds the Lease or waits for it sends a request every two seconds, and every second while requests
 * fail; it opens a broken watch again.
 */
const MAX_PER_WINDOW = 30;

interface Write {
  readonly atMs: number;
  readonly by: string;
  readonly fence: Fence;
}

/** A process with an elector, which writes whenever the elector permits it. */
class Process {
  readonly clock: ProcessClock;
  readonly elector: Elector;
  readonly writes: Write[];
  ended = false;
  readonly #sim: SimClock;
  readonly #random: Seeded;

  constructor(
    sim: SimClock,
    random: Seeded,
    { server, writes, name }: { readonly server: SimServer; readonly writes: Write[]; readonly name: string },
  ) {
    this.#sim = sim;
    this.#random = random;
    this.writes = writes;
    this.clock = new ProcessClock(sim, random.between(0.97, 1.03));
    this.elector = new Elector({
      client: throughProcess(server, this.clock),
      namespace: 'n',
      name: 'lease',
      holder: name,
      clock: this.clock,
      random: random.next,
    });
  }

  start(): void {
    this.elector.start();
    void this.#work().catch(() => undefined);
    void this.elector.lost.then(() => (this.ended = true));
  }

  /** SIGTERM */
  async stop(): Promise<void> {
    this.ended = true;
    await this.elector.stop();
  }

  /** kill -9 */
  kill(): void {
    this.ended = true;
    this.clock.kill();
  }

  get leads(): boolean {
    return !this.clock.isStalled && this.elector.leads;
  }

  async #work(): Promise<void> {
    const fence = await this.elector.elected;
    while (!this.ended) {
      await this.elector.leadership();
      // No await occurs between the answer of `leadership` and the bytes on the wire, neither here nor in the client.
      if (this.elector.leads) this.writes.push({ atMs: this.#sim.now(), by: this.elector.identity, fence });
      await new Promise<void>((resolve) => this.clock.after(this.#random.between(50, 1_000), resolve));
    }
  }
}

/** A client that delivers answers only while the process runs. */
function throughProcess(server: SimServer, clock: ProcessClock): ConstructorParameters<typeof Elector>[0]['client'] {
  const observed = async <T>(answer: Promise<T>): Promise<T> => {
    const [outcome] = await Promise.allSettled([answer]);
    await clock.awake();
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  };
  return {
    get: (type, at) => observed(server.get(type, at)),
    create: (type, object, at) => observed(server.create(type, object, at)),
    replace: (type, object, at) => observed(server.replace(type, object, at)),
    list: (type, at) => observed(server.list(type, at)),
    watch: async function* watch(type, at) {
      for await (const line of server.watch(type, at)) {
        await clock.awake();
        yield line;
      }
    },
  };
}

interface World {
  readonly sim: SimClock;
  readonly random: Seeded;
  readonly server: SimServer;
  readonly processes: Process[];
  readonly writes: Write[];
}

function addProcess({ sim, random, server, processes, writes }: World): void {
  const process = new Process(sim, random, { server, writes, name: `p${processes.length}` });
  processes.push(process);
  process.start();
}

/** Stalls, ends, kills and replaces processes. With `tampers` it also makes forbidden changes to the Lease. */
async function meddle(world: World, tampers: boolean): Promise<void> {
  const { sim, random, server, processes } = world;
  while (sim.now() < STORM_MS) {
    await sim.pause(random.between(500, 15_000));
    const living = processes.filter(({ ended }) => !ended);
    const one = random.one(living);
    const dice = random.next();
    if (living.length < PROCESSES) addProcess(world);
    else if (dice < 0.35) one?.clock.stall(random.between(100, 15_000));
    else if (dice < 0.5) one?.kill();
    else if (dice < 0.7) void one?.stop();
    else if (tampers && dice < 0.8) server.drop('leases', 'lease');
    else if (tampers && dice < 0.9) steal(server);
    else if (dice < 0.95) server.compact();
  }
}

function steal(server: SimServer): void {
  const [held] = server.objects('leases');
  if (held === undefined) return;
  const spec = held['spec'] as { readonly leaseTransitions: number };
  server.put('leases', {
    ...held,
    metadata: { name: 'lease' },
    spec: { ...spec, holderIdentity: 'thief', leaseTransitions: spec.leaseTransitions + 1 },
  });
}

/** Checks the fences: with the same Lease, a later write never has a smaller fence, and each fence has only one writer. */
function fenceProblems(writes: readonly Write[]): readonly string[] {
  const writers = new Map<string, string>();
  const greatest = new Map<string, number>();
  return writes.flatMap(({ atMs, by, fence: { leaseUid, transitions } }) => {
    const key = `${leaseUid}:${transitions}`;
    const writer = writers.get(key) ?? by;
    const before = greatest.get(leaseUid) ?? -1;
    writers.set(key, writer);
    greatest.set(leaseUid, Math.max(before, transitions));
    return [
      ...(writer === by ? [] : [`${by} and ${writer} write with the fence ${key}`]),
      ...(transitions >= before ? [] : [`at ${atMs} ${by} writes with the fence ${transitions} after ${before}`]),
    ];
  });
}

async function simulate(seed: number, tampers: boolean): Promise<void> {
  const random = new Seeded(seed);
  const sim = new SimClock();
  const server = new SimServer(sim, random);
  server.faults = {
    refused: random.between(0, 0.1),
    broken: random.between(0, 0.1),
    answerLost: random.between(0, 0.1),
    hangs: random.between(0, 0.05),
    gone: 0,
  };
  const world: World = { sim, random, server, processes: [], writes: [] };
  for (let count = 0; count < PROCESSES; count += 1) addProcess(world);
  void meddle(world, tampers);
  const atMostOne = (): void => {
    const leaders = world.processes.filter(({ leads }) => leads);
    // A stolen or deleted Lease voids the guarantee of a single leader. Its fence still distinguishes the old
    // leader from the new one.
    if (!tampers) assert.ok(leaders.length <= 1, `${leaders.length} lead at ${sim.now()}`);
  };
  await sim.run(STORM_MS, atMostOne);
  server.faults = NO_FAULTS;
  addProcess(world);
  await sim.run(STORM_MS + CALM_MS, atMostOne);
  assert.equal(world.processes.filter(({ leads }) => leads).length, 1, 'one process leads at the end');
  assert.ok((world.writes.at(-1)?.atMs ?? 0) > STORM_MS + CALM_MS - 1_000, 'and writes');
  if (!tampers) assert.deepEqual(fenceProblems(world.writes), []);
  const times = server.calls.filter(({ plural }) => plural === LEASES.plural).map(({ atMs }) => atMs);
  const crowded = times.findIndex(
    (atMs, index) => atMs - (times[index - MAX_PER_WINDOW * PROCESSES] ?? Number.NEGATIVE_INFINITY) < WINDOW_MS,
  );
  assert.equal(
    crowded,
    -1,
    `more than ${MAX_PER_WINDOW * PROCESSES} requests in ${WINDOW_MS} ms, up to ${times[crowded]}`,
  );
}

test('at most one process leads and writes, despite stalls, deaths and losses; one leads at the end', async () => {
  await playSeeds(cases(100, 2_000), (seed) => simulate(seed, false));
});

test('after the Lease is stolen or deleted, leaders end and one process takes over', async () => {
  await playSeeds(cases(25, 500), (seed) => simulate(seed, true));
});
