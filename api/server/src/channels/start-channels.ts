import { conversationKey, readChannelRuns } from '@hamlet/store';
import { job, type Job } from '../service/jobs.ts';
import { withTimeout } from '../service/with-timeout.ts';
import { type Bot, BotRefusal, type Received } from './bot-port.ts';
import type { Bots } from './bots.ts';
import { deliverRuns } from './deliver-runs.ts';
import { MessageHandler, type MessagePorts } from './handle-message.ts';
import { KeyedWork } from './keyed-work.ts';
import { ReplyQueue } from './reply-queue.ts';

const EVERY_MS = 500;
const POLLS_AT_ONCE = 64;
/** Maximum number of conversations that get answers at the same time. */
const DELIVERIES_AT_ONCE = 64;
/** Maximum number of runs of one bot in one round. */
const RUNS_AT_ONCE = 20;
/** Pause of a bot or conversation after a failure that names no time. */
const PAUSE_S = 15;
const PAUSE_MAX_S = 600;
const STOP_LIMIT_MS = 8_000;

interface ChannelPorts extends MessagePorts {
  readonly bots: Pick<Bots, 'list'>;
  readonly notifications: { readonly leads: () => boolean };
}

/** Bots, and conversations by their key, that wait after a failure, in this process. */
class Pauses {
  readonly #untilMs = new Map<Bot | string, number>();
  readonly #ports: Pick<ChannelPorts, 'log' | 'monotonicMs'>;

  constructor(ports: Pick<ChannelPorts, 'log' | 'monotonicMs'>) {
    this.#ports = ports;
  }

  /** The bots and conversations that wait now. */
  list(): readonly (Bot | string)[] {
    const nowMs = this.#ports.monotonicMs();
    for (const [each, untilMs] of this.#untilMs) if (untilMs <= nowMs) this.#untilMs.delete(each);
    return [...this.#untilMs.keys()];
  }

  /** The messenger may ask the whole bot to wait; another failure of a conversation delays that one alone. */
  add(bot: Bot, error: unknown, conversation?: string): void {
    const asked = error instanceof BotRefusal ? error.retryAfterS : null;
    const waitS = Math.min(asked ?? PAUSE_S, PAUSE_MAX_S);
    const paused = asked === null ? (conversation ?? bot) : bot;
    this.#untilMs.set(paused, this.#ports.monotonicMs() + waitS * 1_000);
    const what = paused === bot ? 'the bot of an agent' : 'a conversation of a bot';
    this.#ports.log('warn', `${what} pauses after a failure`, { agent: bot.agentId, seconds: waitS, error });
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
  const polls = new KeyedWork<Bot>(POLLS_AT_ONCE);
  const deliveries = new KeyedWork<string>(DELIVERIES_AT_ONCE);
  const replies = new ReplyQueue(log);
  const ending = new AbortController();
  const { signal } = ending;
  const isActive = (): boolean => !signal.aborted && notifications.leads();

  async function take(bot: Bot, received: Received): Promise<void> {
    if (!isActive()) throw new Error('this replica no longer leads: another one takes the message');
    await replies.add(bot, received, await messages.reply(bot, received, signal));
  }

  async function guarded(bot: Bot, work: Promise<void>, conversation?: string): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (isActive()) pauses.add(bot, error, conversation);
    }
  }

  const poll = (bot: Bot) =>
    guarded(
      bot,
      bot.receive((received) => take(bot, received), signal),
    );

  async function deliver(ready: readonly Bot[]): Promise<void> {
    // A list of runs made during a delivery of their conversation would be out of date after it.
    const except = [...deliveries.running(), ...pauses.list().filter((each) => typeof each === 'string')];
    const due = await readChannelRuns(db, { bots: ready, except, atMost: RUNS_AT_ONCE });
    if (!isActive()) return;
    const conversations = Map.groupBy(due, conversationKey);
    deliveries.start([...conversations.keys()], async (key) => {
      const runs = conversations.get(key) ?? [];
      const bot = ready.find(({ agentId, channel }) => agentId === runs[0]?.agentId && channel === runs[0].channel);
      if (bot !== undefined) await guarded(bot, deliverRuns({ db, isActive }, bot, runs), key);
    });
  }

  async function round(): Promise<void> {
    const paused = pauses.list();
    const ready = (await bots.list()).filter((bot) => !paused.includes(bot));
    if (!isActive() || ready.length === 0) return;
    polls.start(ready, poll);
    await deliver(ready);
  }

  return {
    jobs: [job({ name: 'channels', everyMs: EVERY_MS, run: round })],
    stop: async () => {
      ending.abort();
      await withTimeout(STOP_LIMIT_MS, Promise.all([polls.settled(), deliveries.settled(), replies.settled()])).catch(
        (error: unknown) => log('warn', 'a messenger delays the end of this replica', { error }),
      );
    },
  };
}
