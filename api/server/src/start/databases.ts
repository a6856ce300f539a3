import { openDatabase, type DatabaseLimits, type Db } from '@hamlet/store';
import type { Log } from '../service/log.ts';

/** Limits for requests and upkeep. A statement may take 10 s. */
const OF_REQUESTS: DatabaseLimits = { answerMs: 15_000, idleInTransactionMs: 30_000, transactionMs: 60_000 };
/** Limits for the writer. The lease of the world lasts four seconds, and a lost writer's connection must not lock the lease's row for much longer. */
const OF_WRITER: DatabaseLimits = { answerMs: 12_000, idleInTransactionMs: 5_000, transactionMs: 15_000 };
/** Limits for sealing. After a long pause it reads the whole log, so a statement may take two minutes. */
const OF_SEALING: DatabaseLimits = { answerMs: 130_000, idleInTransactionMs: 30_000, transactionMs: 600_000 };

/** Separate pools, so that requests, the writer and sealing do not wait for each other. */
export interface Databases {
  readonly db: Db;
  /** For the writer's commits and lease, which must work even while requests use every connection of `db`. */
  readonly writerDb: Db;
  readonly sealingDb: Db;
  close(): Promise<void>;
}

/** Opens the pools. Each connects at its first statement. */
export function openDatabases(url: string, log: Log): Databases {
  const open = (poolSize: number, limits: DatabaseLimits): Db =>
    openDatabase({
      url,
      poolSize,
      limits,
      onError: (error) => log('warn', 'an idle database connection was lost', { error }),
    });
  const [db, writerDb, sealingDb] = [open(16, OF_REQUESTS), open(4, OF_WRITER), open(2, OF_SEALING)];
  return {
    db,
    writerDb,
    sealingDb,
    close: async () => {
      await Promise.all([db, writerDb, sealingDb].map((each) => each.destroy()));
    },
  };
}
