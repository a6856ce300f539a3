import { startRedis } from '@hamlet/dev';
import type { LocalRedis } from '@hamlet/dev';

/** A real Redis of this test's own; stop it in `after`. */
export function testRedis(): Promise<LocalRedis> {
  return startRedis();
}
