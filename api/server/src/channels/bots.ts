import { type Channel, CHANNELS } from '@hamlet/contract';
import { compareText } from '@hamlet/core';
import type { Db } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';
import { createComplaint, type Complaint, type Log } from '../service/log.ts';
import type { Bot } from './bot-port.ts';
import type { ChannelTokens } from './channel-tokens.ts';
import { slackBot } from './slack/slack-bot.ts';
import { telegramBot } from './telegram/telegram-bot.ts';

/** Pause between two readings of the Agents and Secrets that name bots. */
const KEPT_MS = 5_000;

interface BotsPorts {
  readonly db: Db;
  readonly source: Pick<AgentSource, 'list'>;
  readonly channelTokens: ChannelTokens;
  readonly log: Log;
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

/** A bot that an Agent names. */
interface Named {
  readonly agentId: string;
  readonly channel: Channel;
  readonly secretName: string;
}

/** The bots that Agents name, in the order of agents. An Agent under deletion names none. */
export function namedBots(source: Pick<AgentSource, 'list'>): readonly Named[] {
  const agents = source.list().toSorted((a, b) => compareText(a.agentId, b.agentId));
  return agents.flatMap(({ agentId, spec, deleting }) =>
    CHANNELS.flatMap((channel) => {
      const secretName = deleting ? undefined : spec.channels?.[channel]?.secretName;
      return secretName === undefined ? [] : [{ agentId, channel, secretName }];
    }),
  );
}

interface Known {
  readonly bot: Bot;
  readonly tokens: readonly string[];
}

const keyOf = ({ agentId, channel, secretName }: Named): string => `${agentId} ${channel} ${secretName}`;

/** The bots of all agents. A bot stays the same object as long as its agent has the same tokens. */
export class Bots {
  readonly #ports: BotsPorts;
  readonly #complaint: Complaint;
  #known: ReadonlyMap<string, Known> = new Map();
  #bots: Promise<readonly Bot[]> = Promise.resolve([]);
  #keptUntilMs = -Infinity;

  constructor(ports: BotsPorts) {
    this.#ports = ports;
    this.#complaint = createComplaint(ports.log, 'the Secret of a bot cannot be read; the bot keeps its tokens');
  }

  /** At most 5 s old. If two agents have one token, the first by name has the bot. */
  list(): Promise<readonly Bot[]> {
    const { monotonicMs } = this.#ports;
    if (monotonicMs() < this.#keptUntilMs) return this.#bots;
    // One reading at a time, so that no token gets two bots.
    this.#keptUntilMs = Infinity;
    this.#bots = this.#readAll().finally(() => (this.#keptUntilMs = monotonicMs() + KEPT_MS));
    return this.#bots;
  }

  async #readAll(): Promise<readonly Bot[]> {
    const known = new Map<string, Known>();
    const taken = new Set<string>();
    let failures = 0;
    for (const named of namedBots(this.#ports.source)) {
      const found = await this.#find(named).catch((error: unknown) => {
        failures += 1;
        this.#complaint.fail(error);
        return this.#known.get(keyOf(named)) ?? null;
      });
      const name = `${named.channel} ${found?.tokens[0] ?? ''}`;
      if (found === null || taken.has(name)) continue;
      taken.add(name);
      known.set(keyOf(named), found);
    }
    if (failures === 0) this.#complaint.succeed();
    this.#known = known;
    return [...known.values()].map(({ bot }) => bot);
  }

  /** Null without tokens. */
  async #find(named: Named): Promise<Known | null> {
    const tokens = await this.#ports.channelTokens.read(named.secretName, TOKEN_KEYS[named.channel]);
    if (tokens === null) return null;
    const former = this.#known.get(keyOf(named));
    const isSame = former?.tokens.join(' ') === tokens.join(' ');
    return former !== undefined && isSame ? former : { tokens, bot: newBot(this.#ports, named, tokens) };
  }
}
