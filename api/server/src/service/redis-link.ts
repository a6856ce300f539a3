import { Redis } from 'ioredis';
import { createComplaint, type Log } from './log.ts';
import { redisTls } from './redis-tls.ts';

const RECONNECT_MAX_MS = 500;
/** Timeout of a connection: a Redis on a node without power neither answers nor closes its connections. */
const ANSWER_LIMIT_MS = 5_000;

/** Does not wait for the connections, because a village without Redis still works on one replica. */
export function openRedisLink(url: string, log: Log, answerLimitMs = ANSWER_LIMIT_MS) {
  const options = {
    ...redisTls(url),
    socketTimeout: answerLimitMs,
    lazyConnect: false,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt: number) => Math.min(attempt * 50, RECONNECT_MAX_MS),
  };
  const commands = new Redis(url, options);
  const listening = new Redis(url, { ...options, autoResubscribe: false });
  const receivers = new Map<string, (message: string) => void>();
  const scoped = (channel: string): string => `${scopeOf(commands.options.db)}${channel}`;
  const complaint = createComplaint(log, 'Redis is unreachable; the API reconnects');
  commands.on('error', complaint.fail);
  listening.on('error', complaint.fail);
  commands.on('ready', complaint.succeed);
  // The subscribing connection sends nothing, so it would not notice a Redis that vanished without closing it.
  commands.on('close', () => listening.disconnect(true));
  listening.on('ready', () => {
    const channels = [...receivers.keys()];
    if (channels.length > 0) listening.subscribe(...channels).catch(complaint.fail);
  });
  listening.on('message', (channel, message) => {
    try {
      receivers.get(channel)?.(message);
    } catch (error) {
      // Without this catch, one bad message would end this process.
      log('error', 'a message from Redis cannot be read', { channel, error });
    }
  });
  return {
    get connected() {
      return commands.status === 'ready' && listening.status === 'ready';
    },
    /** Publishes to all subscribers; resolves with their number, and with 0 while Redis is unreachable. */
    publish: (channel: string, message: string) => commands.publish(scoped(channel), message).catch(() => 0),
    listeners: async (channel: string) => {
      const [, count] = await commands.pubsub('NUMSUB', scoped(channel)).catch(() => []);
      return Number(count ?? 0);
    },
    /** Subscribes, and again after each reconnection. Logs an error that `onMessage` throws. */
    subscribe: async (channel: string, onMessage: (message: string) => void) => {
      receivers.set(scoped(channel), onMessage);
      if (listening.status === 'ready') await listening.subscribe(scoped(channel)).catch(complaint.fail);
    },
    unsubscribe: async (channel: string) => {
      receivers.delete(scoped(channel));
      if (listening.status === 'ready') await listening.unsubscribe(scoped(channel)).catch(complaint.fail);
    },
    ping: async () => {
      await commands.ping();
    },
    close: () => {
      commands.removeAllListeners('close');
      commands.disconnect();
      listening.disconnect();
    },
  };
}

export type RedisLink = ReturnType<typeof openRedisLink>;

/** Redis shares its channels among its databases, so a village in a database other than 0 puts the database's number before their names. */
const scopeOf = (database = 0): string => (database === 0 ? '' : `${database}/`);
