import { keepChannelPlace, readChannelPlace, type Db } from '@hamlet/store';
import { job, type Job } from '../service/jobs.ts';
import type { Log } from '../service/log.ts';
import { type Bot, readBots } from './bots.ts';
import { deliverRuns } from './deliver-runs.ts';
import { MessageHandler, type MessagePorts } from './handle-message.ts';
import { BotApiError, type Update } from './telegram/bot-api.ts';
import { readUpdate } from './telegram/read-update.ts';

const EVERY_MS = 1_000;
/** A new bot waits for the end of the present polls. */
const POLL_S = 10;
/** Pause of a bot after a failure that names no time. */
const PAUSE_S = 15;
const PAUSE_MAX_S = 600;
/** Pause between two readings of the Agents and Secrets that name bots. */
const BOTS_KEPT_MS = 5_000;

type ChannelPorts = MessagePorts &
  Omit<Parameters<typeof readBots>[0], 'url'> & {
    readonly db: Db;
    readonly log: Log;
    readonly config: { readonly telegramUrl: string };
  };

/** Bots that wait after a failure, in this process. */
class Pauses {
  readonly #untilMs = new Map<string, number>();
  readonly #ports: Pick<ChannelPorts, 'log' | 'monotonicMs'>;

  constructor(ports: Pick<ChannelPorts, 'log' | 'monotonicMs'>) {
    this.#ports = ports;
  }

  has({ id }: Bot): boolean {
    return (this.#untilMs.get(id) ?? 0) > this.#ports.monotonicMs();
  }

  add(bot: Bot, error: unknown): void {
    const asked = error instanceof BotApiError ? error.retryAfterS : null;
    const waitS = Math.min(asked ?? PAUSE_S, PAUSE_MAX_S);
    this.#untilMs.set(bot.id, this.#ports.monotonicMs() + waitS * 1_000);
    const agent = bot.agentId;
    this.#ports.log('warn', 'the bot of an agent pauses after a failure', { agent, seconds: waitS, error });
  }
}

/** Talks with people through messengers: one replica polls the bots, and one delivers answers. */
export function startChannels(ports: ChannelPorts): { readonly jobs: readonly Job[]; readonly stop: () => void } {
  const { db, log, config } = ports;
  const messages = new MessageHandler(ports);
  const pauses = new Pauses(ports);
  const ending = new AbortController();

  /** Replies are not kept: one that Telegram refuses is logged, and the person may ask again. */
  async function reply(bot: Bot, update: Update, updateId: number): Promise<void> {
    const received = readUpdate(update);
    if (received === null) return;
    const { chatId, press } = received;
    const text = await messages.reply(bot, updateId, received);
    try {
      if (press !== null) {
        await bot.api.answerPress(press.id, text ?? '');
        await bot.api.removeButtons(chatId, press.messageId);
      } else if (text !== null) await bot.api.send({ chatId, text });
    } catch (error) {
      log('info', 'a reply through a messenger was not delivered', { agent: bot.agentId, error });
    }
  }

  async function poll(bot: Bot): Promise<void> {
    if (pauses.has(bot) || ending.signal.aborted) return;
    try {
      const from = await readChannelPlace(db, bot.id);
      for (const { updateId, update } of await bot.api.poll(from, POLL_S, ending.signal)) {
        if (update !== null) await reply(bot, update, updateId);
        await keepChannelPlace(db, bot.id, updateId + 1);
      }
    } catch (error) {
      if (!ending.signal.aborted) pauses.add(bot, error);
    }
  }

  let kept: { readonly bots: Promise<readonly Bot[]>; readonly untilMs: number } | null = null;
  const bots = (): Promise<readonly Bot[]> => {
    if (kept !== null && kept.untilMs > ports.monotonicMs()) return kept.bots;
    const read = readBots({ ...ports, url: config.telegramUrl });
    kept = { bots: read, untilMs: ports.monotonicMs() + BOTS_KEPT_MS };
    read.catch(() => (kept = null));
    return read;
  };

  async function deliver(): Promise<void> {
    const ready = (await bots()).filter((bot) => !pauses.has(bot));
    if (ready.length > 0) await deliverRuns(db, ready, (bot, error) => pauses.add(bot, error));
  }

  return {
    jobs: [
      job({
        name: 'channel-polls',
        everyMs: EVERY_MS,
        run: async () => void (await Promise.all((await bots()).map(poll))),
      }),
      job({ name: 'channel-deliveries', everyMs: EVERY_MS, run: deliver }),
    ],
    stop: () => ending.abort(),
  };
}
