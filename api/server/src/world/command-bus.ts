import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { findAnswer } from '@hamlet/store';
import type { Answered } from '../http/handler.ts';
import { replayOf } from '../http/idempotent.ts';
import { refusalOfError, UnavailableError } from '../http/respond.ts';
import type { Log } from '../service/log.ts';
import type { RedisLink } from '../service/redis-link.ts';
import type { WorldCommands, WorldRequest } from './world-request.ts';
import type { WorldTerm } from './world-term.ts';
import type { Services } from '../service/services.ts';

const COMMANDS_CHANNEL = 'hamlet:world:commands';
const REPLY_LIMIT_MS = 5_000;

interface Forwarded {
  readonly id: string;
  readonly replyTo: string;
  readonly request: Omit<WorldRequest, 'key'> & {
    readonly key: { readonly actor: string; readonly key: string; readonly hash: string } | null;
  };
}

type Reply =
  | { readonly id: string; readonly answered: Answered }
  | { readonly id: string; readonly unavailable: string };

interface CommandBus extends WorldCommands {
  /** With a term, starts to serve forwarded commands with this replica's writer; with null, stops. */
  setTerm(term: WorldTerm | null): void;
  readonly writing: boolean;
}

function pack(request: WorldRequest): Forwarded['request'] {
  return {
    ...request,
    key: request.key === null ? null : { ...request.key, hash: Buffer.from(request.key.hash).toString('base64') },
  };
}

function unpack(request: Forwarded['request']): WorldRequest {
  return {
    ...request,
    key: request.key === null ? null : { ...request.key, hash: Buffer.from(request.key.hash, 'base64') },
  };
}

type Forward = (request: WorldRequest) => Promise<Answered | null>;

/** Forwards commands over Redis to the replica that holds the lease. The result is null if no replica listens or Redis is unreachable. */
async function startForwarding(link: RedisLink, replicaId: string): Promise<Forward> {
  const repliesChannel = `hamlet:world:replies:${replicaId}`;
  const waiting = new Map<string, (reply: Reply) => void>();
  await link.subscribe(repliesChannel, (text) => {
    const reply = JSON.parse(text) as Reply;
    waiting.get(reply.id)?.(reply);
  });

  return async (request) => {
    const id = randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const timer = setTimeout(
      () =>
        reject(
          new UnavailableError('The writer of the world does not answer; try again with the same Idempotency-Key'),
        ),
      REPLY_LIMIT_MS,
    );
    waiting.set(id, resolve);
    try {
      const message: Forwarded = { id, replyTo: repliesChannel, request: pack(request) };
      if ((await link.publish(COMMANDS_CHANNEL, JSON.stringify(message))) === 0) return null;
      const reply = await promise;
      if ('unavailable' in reply) throw new UnavailableError(reply.unavailable);
      return reply.answered;
    } finally {
      clearTimeout(timer);
      waiting.delete(id);
      promise.catch(() => undefined);
    }
  };
}

async function serve(
  { link, log }: { readonly link: RedisLink; readonly log: Log },
  term: WorldTerm,
  { id, replyTo, request }: Forwarded,
): Promise<void> {
  const reply = await term.submit(unpack(request)).then(
    (answered): Reply => ({ id, answered }),
    (error: unknown): Reply => {
      if (!(error instanceof UnavailableError)) log('error', 'a forwarded command failed', { error });
      return { id, unavailable: refusalOfError(error).detail ?? 'The writer of the world failed; try again' };
    },
  );
  await link.publish(replyTo, JSON.stringify(reply));
}

export async function startCommandBus(ports: Pick<Services, 'db' | 'link' | 'replicaId' | 'log'>): Promise<CommandBus> {
  const { db, link, replicaId, log } = ports;
  let term: WorldTerm | null = null;
  const search = new WriterSearch(async () => term !== null || (await link.listeners(COMMANDS_CHANNEL)) > 0);
  const forward = await startForwarding(link, replicaId);

  const onCommand = (text: string): void => {
    if (term === null) return;
    serve({ link, log }, term, JSON.parse(text) as Forwarded).catch((error: unknown) =>
      log('error', 'a forwarded command cannot be served', { error }),
    );
  };

  return {
    get writing() {
      return term !== null;
    },
    setTerm: (next) => {
      term = next;
      if (next === null) void link.unsubscribe(COMMANDS_CHANNEL);
      else void link.subscribe(COMMANDS_CHANNEL, onCommand);
    },
    submit: async (request) => {
      const { key } = request;
      const kept = key === null ? null : await findAnswer(db, key.actor, key.key);
      if (kept !== null && key !== null) return replayOf(kept, key);
      for (const sinceMs = performance.now(); performance.now() - sinceMs < HANDOVER_LIMIT_MS; await search.found()) {
        if (term === null && search.isUnderWay) continue;
        const answered = term === null ? await forward(request) : await term.submit(request);
        if (answered !== null) return answered;
      }
      throw new UnavailableError('No replica writes the world; try again');
    },
  };
}

/** Longest time between two holders of the lease. A command that arrives in between waits for the next writer. */
const HANDOVER_LIMIT_MS = 6_000;
const PAUSE_MS = 50;

/**
 * Waits for a writer of the world while no replica writes. All waiting commands share one search: in a large village,
 * thousands of separate searches kept the process so busy that it could not renew the lease that it was about to take.
 */
class WriterSearch {
  readonly #isThere: () => Promise<boolean>;
  #search: Promise<void> | null = null;

  constructor(isThere: () => Promise<boolean>) {
    this.#isThere = isThere;
  }

  get isUnderWay(): boolean {
    return this.#search !== null;
  }

  /** Resolves once a replica writes the world, or after HANDOVER_LIMIT_MS. */
  found(): Promise<void> {
    this.#search ??= this.#look().finally(() => {
      this.#search = null;
    });
    return this.#search;
  }

  async #look(): Promise<void> {
    for (const sinceMs = performance.now(); performance.now() - sinceMs < HANDOVER_LIMIT_MS;) {
      await sleep(PAUSE_MS);
      if (await this.#isThere()) return;
    }
  }
}
