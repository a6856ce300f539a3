import type { AgentSource } from '../agents/agent-source.ts';
import type { ChannelTokens } from './channel-tokens.ts';
import { type BotApi, createBotApi } from './telegram/bot-api.ts';

/** The bot of an agent. `id` is the public part of its token. */
export interface Bot {
  readonly agentId: string;
  readonly id: string;
  readonly api: BotApi;
}

interface BotPorts {
  readonly source: Pick<AgentSource, 'list'>;
  readonly channelTokens: ChannelTokens;
  /** Origin of the Bot API. */
  readonly url: string;
}

/** The bots of all agents, by agent. If two agents have one token, the first by name has the bot. */
export async function readBots({ source, channelTokens, url }: BotPorts): Promise<readonly Bot[]> {
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
    bots.set(token, { agentId, id: token.split(':')[0] ?? '', api: createBotApi(url, token) });
  }
  return [...bots.values()];
}
