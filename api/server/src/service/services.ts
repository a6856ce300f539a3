import type { Db } from '@hamlet/store';
import type { Registry } from 'prom-client';
import type { Log } from './log.ts';
import type { Notifications } from './notifications.ts';
import type { RedisLink } from './redis-link.ts';

export interface Services {
  readonly db: Db;
  readonly link: RedisLink;
  readonly registry: Registry;
  readonly log: Log;
  readonly replicaId: string;
  readonly notifications: Notifications;
  readonly monotonicMs: () => number;
}
