import { type Channel, CHANNELS } from '@hamlet/contract';
import type { Db } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';
import type { Bot } from './bot-port.ts';
import type { ChannelTokens } from './channel-tokens.ts';
import { slackBot } from './slack/slack-bot.ts';
import { telegramBot } from './telegram/telegram-bot.ts';

/** Pause between two readings of the Agents and Secrets that name bots. */
const KEPT_MS = 5_000;

export interface BotsPorts {
  readonly db: Db;
  readonly source: Pick<AgentSource, 'list'>;
  readonly channelTokens: ChannelTokens;
  readonly monotonicMs: () => number;
  readonly config: { readonly telegramUrl: string; readonly slackUrl: string };
}

/** Keys of a Secret, the one whose token names the bot first. */
const TOKEN_KEYS = { telegram: ['token'], slack: ['app-token', 'bot-token'] } as const;

function newBot({ db, monotonicMs, config }: BotsPorts, { agentId, channel }: Named, tokens: readonly string[]): Bot {
  const [first = '', second = ''] = tokens;
  if (channel === 'telegram') return telegramBot({ db, url: config.telegramUrl }, agentId, first);
  return slackBot({ url: config.slackUrl, monotonicMs }, agentId, { app: first, bot: second });
}

interface Named {
  readonly agentId: string;
  readonly channel: Channel;
  readonly secretName: string;
}

interface Known {
  readonly bot: Bot;
  /** Its agent and tokens. */
  readonly of: string;
}

/** The bots of all agents. A bot stays the same object as long as its agent has the same tokens. */
export class Bots {
  readonly #ports: BotsPorts;
  #known = new Map<string, Known>();
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

  #named(): readonly Named[] {
    const agents = this.#ports.source.list().toSorted((a, b) => a.agentId.localeCompare(b.agentId));
    return agents.flatMap(({ agentId, spec, deleting }) =>
      CHANNELS.flatMap((channel) => {
        const secretName = deleting ? undefined : spec.channels?.[channel]?.secretName;
        return secretName === undefined ? [] : [{ agentId, channel, secretName }];
      }),
    );
  }

  /** Null if a token is missing. */
  async #tokensOf({ channel, secretName }: Named): Promise<readonly string[] | null> {
    const tokens: string[] = [];
    for (const key of TOKEN_KEYS[channel]) {
      const token = await this.#ports.channelTokens.read(secretName, key);
      if (token === null) return null;
      tokens.push(token);
    }
    return tokens;
  }

  async #readAll(): Promise<readonly Bot[]> {
    const bots = new Map<string, Known>();
    for (const named of this.#named()) {
      const tokens = await this.#tokensOf(named);
      const name = `${named.channel} ${tokens?.[0] ?? ''}`;
      if (tokens === null || bots.has(name)) continue;
      const of = `${named.agentId} ${tokens.join(' ')}`;
      const known = this.#known.get(name);
      bots.set(name, known?.of === of ? known : { of, bot: newBot(this.#ports, named, tokens) });
    }
    this.#known = bots;
    return [...bots.values()].map(({ bot }) => bot);
  }
}
