import { mayConnect } from '@hamlet/core/egress';
import { createPostOut, type OutwardRoute } from '../../egress/post-out.ts';
import type { Callback } from './judge-callback.ts';

export interface CallbackBody {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a body to a callback. Resolves with the status of the answer; rejects if there is none. */
export type PostCallback = (to: Callback, sent: CallbackBody, stopping: AbortSignal) => Promise<number>;

/** Sends callbacks over HTTPS, to addresses that the rules of their agent permit. */
export function createPostCallback(route?: OutwardRoute): PostCallback {
  const post = createPostOut(route);
  return async ({ url, destination, policy }, sent, stopping) => {
    const permits = (address: string): boolean => mayConnect(policy, destination, address);
    return (await post({ url, host: destination.host, mayConnect: permits, ...sent }, stopping)).status;
  };
}
