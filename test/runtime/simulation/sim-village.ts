/** A controller like those of the operator, on the real queue and the real reflectors: each parent needs one child. */
import { keyOf, Reflector, settle, WorkQueue, type KubeObject, type Outcome, type ResourceType } from '@hamlet/kube';
import type { Seeded } from '../../env/seeded.ts';
import type { SimClock } from './sim-clock.ts';
import type { SimServer } from './sim-server.ts';

const kind = (plural: string, name: string): ResourceType => ({ group: 'sim', version: 'v1', plural, kind: name });
export const PARENTS = kind('parents', 'Parent');
export const CHILDREN = kind('children', 'Child');

/**
 * A parent. `life` increases when the parent needs another child. The status has the generation that the controller
 * last handled.
 */
export type Parent = KubeObject & {
  readonly wanted: boolean;
  readonly life: number;
  readonly status?: { readonly observed?: number };
};
export type Child = KubeObject & { readonly parentUid: string; readonly parentName: string; readonly life: number };

const WORKERS = 3;
const WORK_MS = 30;

export interface SimVillageOptions {
  readonly clock: SimClock;
  readonly random: Seeded;
  readonly server: SimServer;
  /** True if the parent determines the name of a child. Otherwise only the received answers prevent a second child. */
  readonly deterministicNames: boolean;
}

export class SimVillage {
  readonly parents: Reflector<Parent>;
  readonly children: Reflector<Child>;
  readonly queue: WorkQueue;
  /** Broken invariants. */
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
      if (this.#busy.has(key)) this.broken.push(`${key} is worked on twice at a time`);
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
    if (!deterministicNames && twins.length > 0) this.broken.push(`a twin of ${twins[0]?.metadata.name} is made`);
    this.children.learn(
      await server.create<Child>(
        CHILDREN,
        { metadata: { name: childName }, parentUid: uid, parentName: name, life: parent.life },
        {},
      ),
    );
  }

  /** Writes the status like the operator: over the server's present object, so that the answer may be newer than the watch. */
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
      ...(undone === 0 ? [] : [`${undone} keys are not done`]),
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
