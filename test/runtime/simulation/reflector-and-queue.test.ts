/** Reflectors, caches and the queue under a real controller's loop, against a model of an API server, in simulated time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cases, playSeeds, Seeded } from '../../env/seeded.ts';
import { SimClock } from './sim-clock.ts';
import { type Call, NO_FAULTS, SimServer } from './sim-server.ts';
import { keyOf, type KubeObject, type Outcome, Reflector, type ResourceType, settle, WorkQueue } from '@hamlet/kube';

const kind = (plural: string, name: string): ResourceType => ({ group: 'sim', version: 'v1', plural, kind: name });
const PARENTS = kind('parents', 'Parent');
const CHILDREN = kind('children', 'Child');

/**
 * A parent. `life` increases when the parent needs another child. The status has the generation that the controller
 * last handled.
 */
type Parent = KubeObject & {
  readonly wanted: boolean;
  readonly life: number;
  readonly status?: { readonly observed?: number };
};
type Child = KubeObject & { readonly parentUid: string; readonly parentName: string; readonly life: number };

const WORKERS = 3;
const WORK_MS = 30;

interface SimVillageOptions {
  readonly clock: SimClock;
  readonly random: Seeded;
  readonly server: SimServer;
  /** True if the parent determines the name of a child. Otherwise only the received answers prevent a second child. */
  readonly deterministicNames: boolean;
}

class SimVillage {
  readonly parents: Reflector<Parent>;
  readonly children: Reflector<Child>;
  readonly queue: WorkQueue;
  readonly broken: string[] = [];
  readonly #options: SimVillageOptions;
  readonly #busy = new Set<string>();
  #made = 0;

  constructor(options: SimVillageOptions) {
    this.#options = options;
    const { clock, random, server } = options;
    const common = {
      client: server,
      clock,
      random: random.next,
      onListenerError: (error: unknown) => this.broken.push(String(error)),
    };
    this.parents = new Reflector<Parent>({ ...common, type: PARENTS });
    this.children = new Reflector<Child>({
      ...common,
      type: CHILDREN,
      indexers: { parent: ({ parentName }) => [parentName] },
    });
    this.queue = new WorkQueue(clock);
    this.parents.cache.onChange(({ key }) => this.queue.add(key));
    this.children.cache.onChange(({ object }) => this.queue.add(object.parentName));
  }

  /** Starts the controller; it does not use the real clock. */
  async start(): Promise<void> {
    await Promise.all([this.parents.start(), this.children.start()]);
    for (let worker = 0; worker < WORKERS; worker += 1) void this.#work();
  }

  async stop(): Promise<void> {
    this.queue.close();
    await Promise.all([this.parents.stop(), this.children.stop()]);
  }

  async #work(): Promise<void> {
    for (let key = await this.queue.take(); key !== undefined; key = await this.queue.take()) {
      if (this.#busy.has(key)) this.broken.push(`${key} is processed twice at the same time`);
      this.#busy.add(key);
      const outcome = await this.#reconcile(key).catch((error: unknown): Outcome => ({ kind: 'retry', error }));
      this.#busy.delete(key);
      settle(this.queue, key, outcome);
      this.queue.done(key);
    }
  }

  async #reconcile(key: string): Promise<Outcome> {
    const { clock, random, server } = this.#options;
    await clock.pause(random.between(0, WORK_MS));
    const parent = this.parents.cache.get(key);
    const isRight = (child: Child): boolean =>
      parent?.wanted === true && child.parentUid === parent.metadata.uid && child.life === parent.life;
    const all = this.children.cache.by('parent', key);
    for (const child of all.filter((each) => !isRight(each)))
      await server.delete(CHILDREN, { name: child.metadata.name, uid: child.metadata.uid });
    if (parent?.wanted === true && !all.some(isRight)) await this.#create(parent);
    if (parent !== undefined) await this.#report(parent);
    return { kind: 'done' };
  }

  async #create(parent: Parent): Promise<void> {
    const { server, deterministicNames } = this.#options;
    const { name, uid } = parent.metadata;
    this.#made += 1;
    const childName = deterministicNames ? `${name}-${uid}-${parent.life}` : `${name}-${this.#made}`;
    const twins = server
      .objects('children')
      .filter((child) => child['parentUid'] === uid && child['life'] === parent.life);
    if (!deterministicNames && twins.length > 0)
      this.broken.push(`a duplicate of ${twins[0]?.metadata.name} was created`);
    this.children.learn(
      await server.create<Child>(
        CHILDREN,
        { metadata: { name: childName }, parentUid: uid, parentName: name, life: parent.life },
        {},
      ),
    );
  }

  /** Writes the status like the operator: based on the server's current object, so the response may be newer than the watch. */
  async #report({ metadata: { name, uid, generation }, status }: Parent): Promise<void> {
    if (status?.observed === generation) return;
    this.parents.learn(
      await this.#options.server.writeStatus<Parent>(PARENTS, { uid, status: { observed: generation } }, { name }),
    );
  }

  /** Violations of the final state. */
  problems(): readonly string[] {
    const undone = this.queue.depth + this.queue.processing;
    return [
      ...this.broken,
      ...this.#unlike('parents', this.parents),
      ...this.#unlike('children', this.children),
      ...this.#unwanted(),
      ...(undone === 0 ? [] : [`${undone} keys are not processed`]),
    ];
  }

  /** Differences of a cache from the server, and surplus or missing watches. */
  #unlike(plural: string, { cache }: { readonly cache: { values(): Iterable<KubeObject> } }): readonly string[] {
    const { server } = this.#options;
    const there = server
      .objects(plural)
      .map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`)
      .toSorted()
      .join();
    const held = [...cache.values()]
      .map(({ metadata }) => `${keyOf(metadata)}@${metadata.resourceVersion}`)
      .toSorted()
      .join();
    const open = server.open.get(plural) ?? 0;
    return [
      ...(there === held ? [] : [`${plural}: the server has ${there}, the cache ${held}`]),
      ...(open === 1 ? [] : [`${plural}: ${open} watches are open`]),
    ];
  }

  /** Parents without their child, children without their parent. */
  #unwanted(): readonly string[] {
    const { server } = this.#options;
    const byParent = Map.groupBy(server.objects('children'), (child) => String(child['parentUid']));
    const parents = server.objects('parents').flatMap((parent) => {
      const own = byParent.get(parent.metadata.uid) ?? [];
      byParent.delete(parent.metadata.uid);
      const right = own.filter((child) => child['life'] === parent['life']);
      const { observed } = (parent['status'] ?? {}) as { readonly observed?: number };
      return [
        ...(own.length === right.length && right.length === (parent['wanted'] === true ? 1 : 0)
          ? []
          : [`${parent.metadata.name} wants ${String(parent['wanted'])} and has ${own.length}`]),
        ...(observed === parent.metadata.generation
          ? []
          : [`${parent.metadata.name} is at ${parent.metadata.generation} and ${observed} was observed`]),
      ];
    });
    return [...parents, ...[...byParent.values()].flat().map(({ metadata }) => `${metadata.name} has no parent`)];
  }
}

const STORM_MS = 5 * 60_000;
/** Longer than the longest backoff of a key (1,000 s), because a fault at the very end may have begun one. */
const CALM_MS = 25 * 60_000;
const PARENT_COUNT = 6;
const CHANGE_MS = 8_000;
const WINDOW_MS = 10_000;
/** The backoff of a watch begins at 0.8 s, which permits this many requests of a kind in ten seconds, pages included. */
const MAX_PER_WINDOW = { watch: 16, list: 48 } as const;

/** Changes by people; sometimes the history is compacted. */
async function meddle(clock: SimClock, random: Seeded, server: SimServer): Promise<void> {
  while (clock.now() < STORM_MS) {
    await clock.pause(random.between(0, CHANGE_MS));
    const name = `p${Math.floor(random.between(0, PARENT_COUNT))}`;
    const parent = server.objects('parents').find(({ metadata }) => metadata.name === name);
    const dice = random.next();
    if (parent === undefined) server.put('parents', { metadata: { name }, wanted: random.chance(0.7), life: 1 });
    else if (dice < 0.15) server.drop('parents', name);
    else if (dice < 0.5) server.put('parents', { ...parent, metadata: { name }, wanted: parent['wanted'] !== true });
    else if (dice < 0.7) server.put('parents', { ...parent, metadata: { name }, life: Number(parent['life']) + 1 });
    else if (dice < 0.85) server.drop('children', random.one(server.objects('children'))?.metadata.name ?? '');
    else if (dice < 0.9) server.compact();
    else server.put('parents', { ...parent, metadata: { name } });
  }
}

/** Finds loops without pauses: kinds with more than the permitted calls in any ten seconds. */
function hotLoops(calls: readonly Call[]): readonly string[] {
  return (['parents', 'children'] as const).flatMap((plural) =>
    (['watch', 'list'] as const).flatMap((verb) => {
      const times = calls.filter((call) => call.plural === plural && call.verb === verb).map(({ atMs }) => atMs);
      const crowded = times.findIndex(
        (atMs, index) => atMs - (times[index - MAX_PER_WINDOW[verb]] ?? Number.NEGATIVE_INFINITY) < WINDOW_MS,
      );
      return crowded < 0
        ? []
        : [`more than ${MAX_PER_WINDOW[verb]} calls of ${verb} ${plural} in ${WINDOW_MS} ms, up to ${times[crowded]}`];
    }),
  );
}

async function simulate(seed: number): Promise<void> {
  const random = new Seeded(seed);
  const clock = new SimClock();
  const server = new SimServer(clock, random);
  // After a lost answer the controller does not know the child, so only a deterministic name prevents a second
  // one.
  const deterministicNames = random.chance(0.5);
  const storm = {
    refused: random.between(0, 0.2),
    broken: random.between(0, 0.2),
    answerLost: deterministicNames ? random.between(0, 0.2) : 0,
    hangs: random.between(0, 0.02),
    gone: random.between(0, 0.05),
  };
  server.faults = storm;
  const village = new SimVillage({ clock, random, server, deterministicNames });
  void village.start();
  void meddle(clock, random, server);
  await clock.run(STORM_MS, () => assert.deepEqual(village.broken, []));
  server.faults = NO_FAULTS;
  await clock.run(STORM_MS + CALM_MS, () => assert.deepEqual(village.broken, []));
  assert.deepEqual([...village.problems(), ...hotLoops(server.calls)], []);
  const stopping = village.stop();
  await clock.run(STORM_MS + CALM_MS + 1_000, () => undefined);
  await stopping;
  assert.deepEqual([server.open.get('parents'), server.open.get('children')], [0, 0], 'a watch is left open');
}

test('in the end every cache equals the server, every parent has one child, and no loop sent too many requests', async () => {
  await playSeeds(cases(100, 2_000), simulate);
});
