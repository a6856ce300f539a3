import type { Db } from '@hamlet/store';
import type { Registry } from 'prom-client';
import type { Log } from './log.ts';
import type { RedisLink } from './redis-link.ts';

/** The services of a replica that most of its parts use. A part lists its own with Pick. */
export interface Services {
  readonly db: Db;
  readonly link: RedisLink;
  readonly registry: Registry;
  readonly log: Log;
  readonly replicaId: string;
  /** Postgres, for LISTEN. */
  readonly listenUrl: string;
  /** Monotonic clock, in ms. */
  readonly monotonicMs: () => number;
}
