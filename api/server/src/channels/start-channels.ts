import { readChannelRuns, type ChannelRun } from '@hamlet/store';
import { job, type Job } from '../service/jobs.ts';
import { withTimeout } from '../service/with-timeout.ts';
import { type Bot, BotRefusal, type Received } from './bot-port.ts';
import { BotWork } from './bot-work.ts';
import type { Bots } from './bots.ts';
import { deliverRuns } from './deliver-runs.ts';
import { MessageHandler, type MessagePorts } from './handle-message.ts';

const EVERY_MS = 500;
const POLLS_AT_ONCE = 64;
const DELIVERIES_AT_ONCE = 16;
/** Runs of one bot in one round. */
const RUNS_AT_ONCE = 20;
/** Pause of a bot after a failure that names no time. */
const PAUSE_S = 15;
const PAUSE_MAX_S = 600;
const STOP_LIMIT_MS = 8_000;

interface ChannelPorts extends MessagePorts {
  readonly bots: Pick<Bots, 'list'>;
  readonly notifications: { readonly leads: () => boolean };
}

/** Bots that wait after a failure, in this process. */
class Pauses {
  readonly #untilMs = new WeakMap<Bot, number>();
  readonly #ports: Pick<ChannelPorts, 'log' | 'monotonicMs'>;

  constructor(ports: Pick<ChannelPorts, 'log' | 'monotonicMs'>) {
    this.#ports = ports;
  }

  has(bot: Bot): boolean {
    return (this.#untilMs.get(bot) ?? 0) > this.#ports.monotonicMs();
  }

  add(bot: Bot, error: unknown): void {
    const asked = error instanceof BotRefusal ? error.retryAfterS : null;
    const waitS = Math.min(asked ?? PAUSE_S, PAUSE_MAX_S);
    this.#untilMs.set(bot, this.#ports.monotonicMs() + waitS * 1_000);
    const agent = bot.agentId;
    this.#ports.log('warn', 'the bot of an agent pauses after a failure', { agent, seconds: waitS, error });
  }
}

/** Talks with people through messengers, on the replica that leads. */
export function startChannels(ports: ChannelPorts): {
  readonly jobs: readonly Job[];
  readonly stop: () => Promise<void>;
} {
  const { db, log, bots, notifications } = ports;
  const messages = new MessageHandler(ports);
  const pauses = new Pauses(ports);
  const polls = new BotWork(POLLS_AT_ONCE);
  const deliveries = new BotWork(DELIVERIES_AT_ONCE);
  const ending = new AbortController();
  const { signal } = ending;
  const isActive = (): boolean => !signal.aborted && notifications.leads();

  /** Replies are not kept: one that the messenger refuses is logged, and the person may ask again. */
  async function take(bot: Bot, received: Received): Promise<void> {
    if (!isActive()) throw new Error('this replica no longer leads: another one takes the message');
    const reply = await messages.reply(bot, received, signal);
    try {
      await bot.reply(received, reply);
    } catch (error) {
      log('info', 'a reply through a messenger was not delivered', { agent: bot.agentId, error });
    }
  }

  async function guarded(bot: Bot, work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (isActive()) pauses.add(bot, error);
    }
  }

  const poll = (bot: Bot) =>
    guarded(
      bot,
      bot.receive((received) => take(bot, received), signal),
    );

  async function deliver(ready: readonly Bot[]): Promise<void> {
    // The list of a bot whose delivery runs would be out of date when that delivery ends.
    const resting = ready.filter((bot) => deliveries.rests(bot));
    const due = await readChannelRuns(db, resting, RUNS_AT_ONCE);
    if (!isActive()) return;
    const isOf = (bot: Bot) => (run: ChannelRun) => run.agentId === bot.agentId && run.channel === bot.channel;
    deliveries.start(
      resting.filter((bot) => due.some(isOf(bot))),
      (bot) => guarded(bot, deliverRuns({ db, isActive }, bot, due.filter(isOf(bot)))),
    );
  }

  async function round(): Promise<void> {
    const ready = (await bots.list()).filter((bot) => !pauses.has(bot));
    if (!isActive() || ready.length === 0) return;
    polls.start(ready, poll);
    await deliver(ready);
  }

  return {
    jobs: [job({ name: 'channels', everyMs: EVERY_MS, run: round })],
    stop: async () => {
      ending.abort();
      await withTimeout(STOP_LIMIT_MS, Promise.all([polls.settled(), deliveries.settled()])).catch((error: unknown) =>
        log('warn', 'a messenger delays the end of this replica', { error }),
      );
    },
  };
}
