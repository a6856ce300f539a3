import { keyOf, type Reflector } from '@hamlet/kube';
import { unsettled, type Hands, type RawAgent, type RawPod } from '../village-objects.ts';

/** A change that the operator must react to. */
interface Expectation {
  readonly name: string;
  readonly what: string;
  readonly sinceMs: number;
  readonly isMet: () => boolean;
}

export interface ChurnOptions {
  readonly hands: Hands;
  readonly agents: Reflector<RawAgent>;
  readonly pods: Reflector<RawPod>;
  readonly random: () => number;
  readonly population: number;
  /** A change without an effect counts as missed after this time. */
  readonly missedAfterMs: number;
}

/** Changes Agents like people, and counts the changes to which the operator does not react. */
export class Churn {
  readonly missed: string[] = [];
  /** Milliseconds from each change to its effect, newest last. */
  readonly reactions: number[] = [];
  #changes = 0;
  #names = 0;
  #expected: Expectation[] = [];
  readonly #options: ChurnOptions;

  constructor(options: ChurnOptions) {
    this.#options = options;
  }

  get changes(): number {
    return this.#changes;
  }

  /** Changes that wait for their effect. */
  get waiting(): number {
    return this.#expected.length;
  }

  /** Faults in the final state of the API server's objects. */
  unsettled(): readonly string[] {
    const { agents, pods } = this.#options;
    return unsettled(
      [...agents.cache.values()],
      [...pods.cache.values()].filter(({ metadata }) => metadata.deletionTimestamp === undefined),
    );
  }

  async change(): Promise<void> {
    const { agents, population, random } = this.#options;
    const living = [...agents.cache.values()].filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const one = living[Math.floor(random() * living.length)];
    this.#changes += 1;
    if (one === undefined || living.length < population) return this.#create();
    const dice = random();
    if (dice < 0.1) return this.#remove(one);
    if (dice < 0.5) return this.#patch(one.metadata.name, { power: one.spec.power === 'Asleep' ? 'Awake' : 'Asleep' });
    if (dice < 0.7 && one.spec.power !== 'Asleep')
      return this.#patch(one.metadata.name, { rebootedAt: new Date().toISOString().replace(/\.\d+Z$/, 'Z') });
    return this.#patch(one.metadata.name, { displayName: `Zoë ${this.#changes} 🦉` });
  }

  /** Checks which changes have had their effect, and which are missed. */
  look(nowMs: number): void {
    const { missedAfterMs } = this.#options;
    this.#expected = this.#expected.filter((expectation) => {
      if (expectation.isMet()) {
        this.reactions.push(nowMs - expectation.sinceMs);
        return false;
      }
      if (nowMs - expectation.sinceMs < missedAfterMs) return true;
      this.missed.push(`${new Date().toISOString()} ${expectation.name}: ${expectation.what}`);
      return false;
    });
  }

  #agent(name: string): RawAgent | undefined {
    const { agents, hands } = this.#options;
    return agents.cache.get(keyOf({ namespace: hands.namespace, name }));
  }

  #expect(name: string, what: string, isMet: () => boolean): void {
    this.#expected.push({ name, what, sinceMs: performance.now(), isMet });
  }

  async #create(): Promise<void> {
    this.#names += 1;
    await this.#sees(await this.#options.hands.create(`soak-${this.#names}`), 'created');
  }

  async #patch(name: string, spec: object): Promise<void> {
    await this.#sees(await this.#options.hands.patch(name, spec), JSON.stringify(spec));
  }

  /** Waits for the change, or for a later change or the end of the same Agent, which includes this one. */
  #sees({ metadata: { name, uid, generation = 0 } }: RawAgent, what: string): Promise<void> {
    this.#expect(name, what, () => {
      const now = this.#agent(name);
      return (
        now === undefined ||
        now.metadata.uid !== uid ||
        now.metadata.deletionTimestamp !== undefined ||
        (now.status?.observedGeneration ?? 0) >= generation
      );
    });
    return Promise.resolve();
  }

  async #remove({ metadata: { name, uid } }: RawAgent): Promise<void> {
    await this.#options.hands.remove(name);
    this.#expect(name, 'deleted', () => this.#agent(name)?.metadata.uid !== uid);
  }
}
