import { Redis } from 'ioredis';
import type { Log } from '../service/log.ts';

const RECONNECT_MAX_MS = 500;

/** Messages between replicas of the api. Nothing depends on one being delivered: whoever misses one finds out and asks Postgres. */
export interface RedisLink {
  readonly connected: boolean;
  /** Sends to whoever listens; resolves with how many do, 0 also where Redis is away. */
  publish(channel: string, message: string): Promise<number>;
  /** How many listen to a channel; 0 also where Redis is away. */
  listeners(channel: string): Promise<number>;
  /** Listens, also after reconnecting. What `hear` throws about a message is logged. */
  subscribe(channel: string, hear: (message: string) => void): Promise<void>;
  unsubscribe(channel: string): Promise<void>;
  /** Throws where Redis does not answer. */
  ping(): Promise<void>;
  close(): void;
}

/** Opens the two connections that publishing and listening need. Does not wait for them: a village without Redis still lives on one replica. */
export function openRedisLink(url: string, log: Log): RedisLink {
  const options = {
    lazyConnect: false,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt: number) => Math.min(attempt * 50, RECONNECT_MAX_MS),
  };
  const commands = new Redis(url, options);
  const listening = new Redis(url, { ...options, autoResubscribe: false });
  const hearers = new Map<string, (message: string) => void>();
  let complained = false;
  const complain = (error: Error): void => {
    if (!complained) log('warn', 'redis cannot be reached', { error });
    complained = true;
  };
  commands.on('error', complain);
  listening.on('error', complain);
  commands.on('ready', () => {
    complained = false;
  });
  listening.on('ready', () => {
    const channels = [...hearers.keys()];
    if (channels.length > 0) listening.subscribe(...channels).catch(complain);
  });
  listening.on('message', (channel, message) => {
    try {
      hearers.get(channel)?.(message);
    } catch (error) {
      // Whoever can write to Redis could otherwise end this process with one message.
      log('error', 'a message of redis cannot be read', { channel, error });
    }
  });
  return {
    get connected() {
      return commands.status === 'ready' && listening.status === 'ready';
    },
    publish: (channel, message) => commands.publish(channel, message).catch(() => 0),
    listeners: async (channel) => {
      const [, count] = await commands.pubsub('NUMSUB', channel).catch(() => []);
      return Number(count ?? 0);
    },
    subscribe: async (channel, hear) => {
      hearers.set(channel, hear);
      if (listening.status === 'ready') await listening.subscribe(channel).catch(complain);
    },
    unsubscribe: async (channel) => {
      hearers.delete(channel);
      if (listening.status === 'ready') await listening.unsubscribe(channel).catch(complain);
    },
    ping: async () => {
      await commands.ping();
    },
    close: () => {
      commands.disconnect();
      listening.disconnect();
    },
  };
}
