import type { Bot } from './bot-port.ts';

/**
 * Does one kind of work for many bots at once, so that a slow bot delays no other: one piece of work at a time for each
 * bot, and at most `atMost` in all. Bots that waited longest come first.
 */
export class BotWork {
  readonly #atMost: number;
  readonly #running = new Map<Bot, Promise<void>>();
  /** Order of the last starts. */
  #starts = new Map<Bot, number>();
  #count = 0;

  constructor(atMost: number) {
    this.#atMost = atMost;
  }

  /** True if no work of the bot runs; it stays true until the next `start`. */
  rests(bot: Bot): boolean {
    return !this.#running.has(bot);
  }

  /** Starts `work` for the bots that rest, as far as there is room. `work` must not reject. */
  start(bots: readonly Bot[], work: (bot: Bot) => Promise<void>): void {
    this.#starts = new Map([...this.#starts].filter(([bot]) => bots.includes(bot)));
    const resting = bots
      .filter((bot) => this.rests(bot))
      .toSorted((a, b) => (this.#starts.get(a) ?? 0) - (this.#starts.get(b) ?? 0));
    for (const bot of resting.slice(0, Math.max(0, this.#atMost - this.#running.size))) {
      this.#starts.set(bot, (this.#count += 1));
      const running = work(bot).finally(() => this.#running.delete(bot));
      this.#running.set(bot, running);
    }
  }

  /** Resolves when the work that runs now has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.values());
  }
}
