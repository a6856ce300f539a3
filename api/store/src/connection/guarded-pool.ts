import { type PostgresPool, type PostgresPoolClient, type RawBuilder, sql as sqlOf } from 'kysely';
import type pg from 'pg';

/** All connections are in use and Postgres answers on them: this process sends too many queries at once. */
export class DatabaseBusyError extends Error {}

const MARK = /^\/\* prepared (\w+) \*\//;

/**
 * Marks a statement that Postgres plans only once per connection, because planning costs several times as much as executing a short
 * statement. Only for frequent statements with a fixed text and named columns: each connection stores them.
 */
export const prepared = (name: string): RawBuilder<unknown> => sqlOf.raw(`/* prepared ${name} */`);

/** The named statement, if the text begins with the mark of {@link prepared}. */
function statementOf(text: string, parameters: readonly unknown[]): pg.QueryConfig {
  const name = MARK.exec(text)?.[1];
  const values = [...parameters];
  return name === undefined ? { text, values } : { name, text, values };
}

const isSilence = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout';

/** A pool that does not reuse a connection after an unanswered query. `connect` throws DatabaseBusyError if all are in use. */
export function guardedPool(pool: pg.Pool, monotonicMs: () => number): PostgresPool {
  const guards = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  let answeredMs = Number.NEGATIVE_INFINITY;

  function guard(client: pg.PoolClient): PostgresPoolClient {
    let silent = false;
    const query = async (sql: string, parameters: readonly unknown[]): Promise<unknown> => {
      // A statement sent after an unanswered one, for example a rollback, would wait for that answer.
      if (silent) throw new Error('Connection terminated: the database server did not answer an earlier query');
      try {
        return await client.query(statementOf(sql, parameters));
      } catch (error) {
        silent = isSilence(error);
        throw error;
      } finally {
        if (!silent) answeredMs = monotonicMs();
      }
    };
    return {
      query: query as PostgresPoolClient['query'],
      release: (destroy) => client.release(silent || destroy === true),
    };
  }

  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      const askedMs = monotonicMs();
      try {
        const client = await pool.connect();
        const guarded = guards.get(client) ?? guard(client);
        guards.set(client, guarded);
        return guarded;
      } catch (error) {
        const waited = error instanceof Error && error.message === 'timeout exceeded when trying to connect';
        if (waited && answeredMs > askedMs)
          throw new DatabaseBusyError('every connection to the database is in use', { cause: error });
        throw error;
      }
    },
  };
}
