import type { Circumstance } from '@hamlet/store';
import type { Caller } from '../../http/handler.ts';

export function circumstanceOf({ actor, traceparent }: Caller): Circumstance {
  return { traceparent, podUid: actor.role === 'agent' ? actor.podUid : null };
}
