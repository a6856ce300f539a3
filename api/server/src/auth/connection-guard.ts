import { ACCOUNTS_CHANNEL } from '@hamlet/store';
import type { Actor, OpenConnection, WatchConnections } from '../http/actor.ts';
import type { Refused } from '../http/outcome.ts';
import type { Services } from '../service/services.ts';

/** Interval between checks of all open connections, in case a notification was lost. */
const EVERY_MS = 10_000;

export interface ConnectionGuard extends WatchConnections {
  stop(): void;
}

export interface GuardPorts extends Pick<Services, 'notifications' | 'log'> {
  readonly onStanding: (react: (agentIds: readonly string[]) => void) => void;
  readonly everyMs?: number;
}

/**
 * Checks the connections of a changed account at once (NOTIFY), and all connections every ten seconds, because a
 * notification can be lost.
 */
export function startConnectionGuard({
  notifications,
  log,
  onStanding,
  everyMs = EVERY_MS,
}: GuardPorts): ConnectionGuard {
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
      // If the check fails, the connection stays open, so that the map can be read during an outage.
      log('debug', 'an open connection could not be checked', { error });
    }
  }

  function lookAt(isMeant: (actor: Actor) => boolean): void {
    for (const connection of open) if (isMeant(connection.actor)) void look(connection);
  }

  onStanding((agentIds) => lookAt((actor) => actor.role === 'agent' && agentIds.includes(actor.agentId)));
  notifications.on(ACCOUNTS_CHANNEL, (accountId) => {
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
    stop: () => clearInterval(timer),
  };
}
