import { ACCOUNTS_CHANNEL, listen } from '@hamlet/store';
import type { Actor } from '../http/actor.ts';
import type { Refused } from '../http/outcome.ts';
import type { Log } from '../service/log.ts';

/** However changes are heard, everything that is open is looked at again this often. */
const EVERY_MS = 10_000;

/** A socket or stream that was let in, and stays open for longer than a request. */
export interface OpenConnection {
  readonly actor: Actor;
  /** Asks again who it is, by the credentials that it came with. */
  recheck(): Promise<Actor | Refused>;
  /** Called once, where it would not be let in any more. */
  close(refusal: Refused): void;
}

/** Ends what is open when its holder would be refused: banned, disabled, signed out, barred, another role, a token that is over. */
export interface ConnectionGuard {
  /** Watches a connection. Call what it returns when the connection ends by itself. */
  watch(connection: OpenConnection): () => void;
  stop(): Promise<void>;
}

export interface GuardPorts {
  readonly listenUrl: string;
  readonly log: Log;
  /** Hears which agents stand otherwise than before. */
  readonly onStanding: (hear: (agentIds: readonly string[]) => void) => void;
  /** How often all that is open is looked at, in ms; ten seconds where it is left out. */
  readonly everyMs?: number;
}

/** Looks at once where a change is told (by NOTIFY, with its commit), and at all every ten seconds, since a notification can be lost. */
export function startConnectionGuard({ listenUrl, log, onStanding, everyMs = EVERY_MS }: GuardPorts): ConnectionGuard {
  const open = new Set<OpenConnection>();

  async function look(connection: OpenConnection): Promise<void> {
    try {
      const now = await connection.recheck();
      const refusal: Refused | null =
        'ok' in now
          ? now
          : now.id === connection.actor.id && now.role === connection.actor.role
            ? null
            : { ok: false, reason: 'token_invalid' };
      if (refusal !== null && open.delete(connection)) connection.close(refusal);
    } catch (error) {
      // While nobody can be asked, what was let in stays: the map is to be readable.
      log('debug', 'an open connection could not be looked at', { error });
    }
  }

  function lookAt(isMeant: (actor: Actor) => boolean): void {
    for (const connection of open) if (isMeant(connection.actor)) void look(connection);
  }

  onStanding((agentIds) => lookAt((actor) => actor.role === 'agent' && agentIds.includes(actor.agentId)));
  const listener = listen(listenUrl, [ACCOUNTS_CHANNEL], (_channel, accountId) => {
    lookAt(
      (actor) =>
        'accountId' in actor && actor.accountId !== null && (accountId === null || actor.accountId === accountId),
    );
  });
  const timer = setInterval(() => lookAt(({ role }) => role !== 'visitor'), everyMs);
  return {
    watch: (connection) => {
      open.add(connection);
      return () => void open.delete(connection);
    },
    stop: async () => {
      clearInterval(timer);
      await listener.stop();
    },
  };
}
