import { startRedis } from '@hamlet/dev';
import type { LocalRedis } from '@hamlet/dev';

/** A real Redis for this test; stop it in `after`. */
export function testRedis(): Promise<LocalRedis> {
  return startRedis();
}
