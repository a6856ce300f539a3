import type { Db } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';
import type { Bot } from './bot-port.ts';
import type { ChannelTokens } from './channel-tokens.ts';
import { telegramBot } from './telegram/telegram-bot.ts';

/** Pause between two readings of the Agents and Secrets that name bots. */
const KEPT_MS = 5_000;

export interface BotsPorts {
  readonly db: Db;
  readonly source: Pick<AgentSource, 'list'>;
  readonly channelTokens: ChannelTokens;
  readonly monotonicMs: () => number;
  readonly config: { readonly telegramUrl: string };
}

/** The bots of all agents. A bot stays the same object as long as its agent has the same token. */
export class Bots {
  readonly #ports: BotsPorts;
  #byToken = new Map<string, Bot>();
  #read: { readonly bots: Promise<readonly Bot[]>; readonly untilMs: number } | null = null;

  constructor(ports: BotsPorts) {
    this.#ports = ports;
  }

  /** At most 5 s old. If two agents have one token, the first by name has the bot. */
  list(): Promise<readonly Bot[]> {
    const nowMs = this.#ports.monotonicMs();
    if (this.#read !== null && this.#read.untilMs > nowMs) return this.#read.bots;
    const bots = this.#readAll();
    this.#read = { bots, untilMs: nowMs + KEPT_MS };
    bots.catch(() => (this.#read = null));
    return bots;
  }

  async #readAll(): Promise<readonly Bot[]> {
    const { db, source, channelTokens, config } = this.#ports;
    const named = source
      .list()
      .flatMap(({ agentId, spec, deleting }) => {
        const secretName = deleting ? undefined : spec.channels?.telegram?.secretName;
        return secretName === undefined ? [] : [{ agentId, secretName }];
      })
      .toSorted((a, b) => a.agentId.localeCompare(b.agentId));
    const bots = new Map<string, Bot>();
    for (const { agentId, secretName } of named) {
      const token = await channelTokens.read(secretName);
      if (token === null || bots.has(token)) continue;
      const known = this.#byToken.get(token);
      const isSame = known?.agentId === agentId;
      bots.set(token, isSame ? known : telegramBot({ db, url: config.telegramUrl }, agentId, token));
    }
    this.#byToken = bots;
    return [...bots.values()];
  }
}
