import { z } from 'zod';
import { connectHands, HandsError, type HandsConnection } from './hands-client.ts';

const ANSWER_MS = 5_000;
/** No process has this owner: no id contains such a character. */
const NO_OWNER = '?';

/** Connections to the hands of a pod. One use has a connection alone, so that a long wait holds no other request up. */
export interface HandsConnections {
  /** A connection on which the hands have just answered, with their present start. Rejects with `HandsError`. */
  take(): Promise<HandsConnection>;
  /** Ends a use. One connection stays open for the next; it keeps no process alive. */
  give(connection: HandsConnection): void;
}

export function connectionsTo(socketPath: string): HandsConnections {
  let free: HandsConnection | null = null;
  return {
    take: async () => {
      const kept = free;
      free = null;
      return kept !== null && (await answers(kept)) ? kept : connectHands(socketPath);
    },
    give: (connection) => {
      // A request under way would get its answer in the use of another.
      if (free !== null || !connection.isIdle()) return connection.close();
      connection.keepAlive(false);
      free = connection;
    },
  };
}

/** False if the hands have ended, or started again, since the connection was used. */
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
