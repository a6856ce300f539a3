import { setTimeout as sleep } from 'node:timers/promises';
import { actAsAgent } from '@hamlet/contract';
import { until } from './until.ts';
import type { Village } from './village.ts';

const PAUSE_MS = 300;

/** A speech event that the API acknowledged as durable. */
interface Acknowledged {
  readonly seq: number;
  readonly text: string;
}

/** Makes an agent say numbered texts, and records the texts that the API acknowledged as durable. */
export class Witness {
  readonly #place: Village;
  readonly #agent: string;
  readonly #acknowledged: Acknowledged[] = [];
  readonly #done: Promise<void>;
  #stopped = false;
  #said = 0;

  constructor(place: Village, agent: string) {
    this.#place = place;
    this.#agent = agent;
    this.#done = this.#speak();
  }

  /** Number of texts acknowledged so far. */
  get count(): number {
    return this.#acknowledged.length;
  }

  /** Waits until the API acknowledges a text that the agent says after this call. */
  async untilHeard(): Promise<void> {
    const before = this.#said;
    await until('a durable event is acknowledged', async () =>
      this.#acknowledged.some(({ text }) => numberOf(text) > before),
    );
  }

  /** Acknowledged texts that Postgres lacks or has with other words; empty when no text is lost. */
  async lost(): Promise<readonly Acknowledged[]> {
    // Copied before the query: later acknowledgements may be newer than the query's result.
    const acknowledged = [...this.#acknowledged];
    const sql = `select coalesce(json_object_agg(seq, event->>'text'), '{}') from world_event where kind = 'talk' and agent_id = '${this.#agent}'`;
    const stored = await until(
      'Postgres answers',
      async () =>
        JSON.parse(
          await this.#place.kubectl([
            'exec',
            'hamlet-postgres-0',
            '--',
            'psql',
            '-U',
            'postgres',
            '-d',
            'hamlet',
            '-Atc',
            sql,
          ]),
        ) as Record<string, string>,
    );
    return acknowledged.filter(({ seq, text }) => stored[String(seq)] !== text);
  }

  /** Stops speaking. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
  }

  async #speak(): Promise<void> {
    while (!this.#stopped) {
      this.#said += 1;
      const text = `Word ${this.#said} of ${process.pid}.`;
      try {
        const outcome = await this.#place.admin.call(actAsAgent, {
          params: { agent_id: this.#agent },
          body: { kind: 'talk', text },
          signal: AbortSignal.timeout(10_000),
        });
        if (outcome.ok && outcome.data.durable_seq !== null)
          this.#acknowledged.push({ seq: outcome.data.durable_seq, text });
      } catch {
        // Only acknowledged texts must be durable.
      }
      await sleep(PAUSE_MS);
    }
  }
}

function numberOf(text: string): number {
  return Number(/^Word (\d+)/.exec(text)?.[1]);
}
