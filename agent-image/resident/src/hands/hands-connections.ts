import { z } from 'zod';
import { connectHands, HandsError, type HandsConnection } from './hands-client.ts';

const ANSWER_MS = 5_000;
/** A valid id cannot contain this character, so no process has this owner. */
const NO_OWNER = '?';
/**
 * Maximum number of uses at one time; further ones wait in order. The supervisor takes 64 connections, including those
 * of MCP servers and programs.
 */
const USES_MAX = 40;

/**
 * Connections to the hands of a pod. Each use has its own connection, so that a long wait delays no other request, up to
 * `USES_MAX` of them.
 */
export interface HandsConnections {
  /** A connection on which the hands have just answered, with their current start. Rejects with `HandsError`. */
  take(): Promise<HandsConnection>;
  /** Ends a use. One connection stays open for the next use; it does not keep the process alive. */
  give(connection: HandsConnection): void;
}

export function connectionsTo(socketPath: string): HandsConnections {
  let free: HandsConnection | null = null;
  let uses = 0;
  const waiting: (() => void)[] = [];
  const end = (): void => {
    const next = waiting.shift();
    if (next === undefined) uses -= 1;
    else next();
  };
  const connected = async (): Promise<HandsConnection> => {
    const kept = free;
    free = null;
    return kept !== null && (await answers(kept)) ? kept : connectHands(socketPath);
  };
  return {
    take: async () => {
      if (uses < USES_MAX) uses += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await connected();
      } catch (error) {
        end();
        throw error;
      }
    },
    give: (connection) => {
      end();
      // The next use would receive the answer of a pending request.
      if (free !== null || !connection.isIdle()) return connection.close();
      connection.keepAlive(false);
      free = connection;
    },
  };
}

/** False if the hands have ended or restarted since the last use of the connection. */
async function answers(connection: HandsConnection): Promise<boolean> {
  connection.keepAlive(true);
  const late = setTimeout(() => connection.close(), ANSWER_MS);
  try {
    await connection.ask('list', { owner: NO_OWNER }, z.unknown());
    return true;
  } catch (error) {
    if (!(error instanceof HandsError)) throw error;
    connection.close();
    return false;
  } finally {
    clearTimeout(late);
  }
}
