import { setTimeout as sleep } from 'node:timers/promises';
import type { WorldEvent } from '@hamlet/contract';
import { lastSeq } from '@hamlet/store';
import { z } from 'zod';
import { readEventsAfter } from './recovery/read-events.ts';
import { coalesce } from '../service/single-flight.ts';
import type { WorldReplica } from './world-replica.ts';
import type { Services } from '../service/services.ts';

const EVENTS_CHANNEL = 'hamlet:world:events';
/** Interval of polling Postgres for missed events: shorter while Redis is unreachable. */
const POLL_WITHOUT_REDIS_MS = 250;
const POLL_MS = 2_000;

/** The writer validated the events when it made them; a replica checks only the envelope again. */
const Message = z.object({
  epoch: z.int(),
  events: z.array(z.custom<WorldEvent>((value) => typeof value === 'object' && value !== null && 'seq' in value)),
});

export async function startEventFeed(
  ports: Pick<Services, 'db' | 'link' | 'replicaId' | 'log'> & {
    readonly replica: WorldReplica;
  },
) {
  const { db, link, replica, replicaId, log } = ports;
  // When a term begins or ends, Redis may deliver events of this process that the replica has applied.
  const own = `{"from":${JSON.stringify(replicaId)},`;
  const stopping = new AbortController();
  const catchUp = coalesce(() =>
    readEventsAfter(db, replica.world.seq, (events) => void replica.take(replica.epoch, events)).catch(
      (error: unknown) => log('warn', 'the replica did not catch up', { error }),
    ),
  );

  const receive = (text: string): void => {
    if (text.startsWith(own)) return;
    const message = Message.safeParse(JSON.parse(text));
    if (!message.success) log('error', 'a message with events of the world cannot be read', { error: message.error });
    else if (!replica.take(message.data.epoch, message.data.events)) void catchUp();
  };
  await link.subscribe(EVENTS_CHANNEL, receive);

  const poll = (async () => {
    while (!stopping.signal.aborted) {
      await sleep(link.connected ? POLL_MS : POLL_WITHOUT_REDIS_MS, undefined, { signal: stopping.signal }).catch(
        () => undefined,
      );
      const last = await lastSeq(db).catch(() => 0);
      if (last > replica.world.seq && !stopping.signal.aborted) await catchUp();
    }
  })();

  return {
    /** While this process writes, it takes events from its own writer and not from Redis. */
    setWriting: (isWriting: boolean) =>
      void (isWriting ? link.unsubscribe(EVENTS_CHANNEL) : link.subscribe(EVENTS_CHANNEL, receive)),
    publish: (epoch: number, events: readonly WorldEvent[]) => {
      replica.take(epoch, events);
      void link.publish(EVENTS_CHANNEL, JSON.stringify({ from: replicaId, epoch, events }));
    },
    stop: async () => {
      stopping.abort();
      await poll;
    },
  };
}
