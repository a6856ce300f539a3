import type { Log } from '../service/log.ts';
import type { Bot, Received, Reply } from './bot-port.ts';

/** Maximum number of replies that wait or are under way, of all bots. */
const WAITING_MAX = 256;

/**
 * Sends replies in the background: one after the other to one person, so that a slow one delays neither the messages of
 * others nor their replies. Replies are not kept: one that the messenger refuses is logged, and the person may ask again.
 */
export class ReplyQueue {
  readonly #log: Log;
  readonly #last = new Map<string, Promise<void>>();
  #waiting = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Resolves before the reply is sent, once fewer than `WAITING_MAX` others wait. */
  async add(bot: Bot, received: Received, reply: Reply): Promise<void> {
    while (this.#waiting >= WAITING_MAX) await Promise.race(this.#last.values());
    this.#waiting += 1;
    const person = `${bot.id} ${received.sender.id}`;
    const sent = (this.#last.get(person) ?? Promise.resolve())
      .then(() => bot.reply(received, reply))
      .catch((error: unknown) =>
        this.#log('info', 'a reply through a messenger was not delivered', { agent: bot.agentId, error }),
      )
      .finally(() => {
        this.#waiting -= 1;
        if (this.#last.get(person) === sent) this.#last.delete(person);
      });
    this.#last.set(person, sent);
  }

  /** Resolves when the replies that wait now are sent. */
  async settled(): Promise<void> {
    await Promise.all(this.#last.values());
  }
}
