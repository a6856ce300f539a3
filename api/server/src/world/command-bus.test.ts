import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { openDatabase } from '@hamlet/store';
import { accepted } from '../http/outcome.ts';
import { startCommandBus } from './command-bus.ts';
import type { RedisLink } from '../service/redis-link.ts';

const COMMANDS = 200;

/**
 * A Redis on which another replica begins to write when the test sets `isWriting`, and then answers every command. It
 * counts the commands on the channel.
 */
class OtherReplica {
  isWriting = false;
  published = 0;
  readonly #receivers = new Map<string, (message: string) => void>();

  readonly link: RedisLink = {
    connected: true,
    publish: async (_channel, message) => {
      this.published += 1;
      if (!this.isWriting) return 0;
      const { id, replyTo } = JSON.parse(message) as { id: string; replyTo: string };
      setImmediate(() =>
        this.#receivers.get(replyTo)?.(
          JSON.stringify({ id, answered: { outcome: accepted({ accepted_seq: 1 }), replayed: false } }),
        ),
      );
      return 1;
    },
    listeners: async () => (this.isWriting ? 1 : 0),
    subscribe: async (channel, listener) => void this.#receivers.set(channel, listener),
    unsubscribe: async () => undefined,
    ping: async () => undefined,
    close: () => undefined,
  };
}

test(
  'commands that wait for a writer share one search; all are answered once a replica writes',
  { timeout: 60_000 },
  async (t) => {
    const other = new OtherReplica();
    // A command without a key makes no query, so no database is needed.
    const db = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', poolSize: 1, onError: () => undefined });
    t.after(() => db.destroy());
    const bus = await startCommandBus({ db, link: other.link, replicaId: 'here', log: () => undefined });
    const answers = Array.from({ length: COMMANDS }, () =>
      bus.submit({ command: { kind: 'despawn', agent_id: 'ada' }, durability: 'grouped', key: null }),
    );
    await sleep(500);
    assert.equal(other.published, COMMANDS, 'each command tries once by itself, then waits');
    other.isWriting = true;
    for (const { outcome } of await Promise.all(answers)) assert.ok(outcome.ok);
    assert.equal(other.published, 2 * COMMANDS);
  },
);
