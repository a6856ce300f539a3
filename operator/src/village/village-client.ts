import type { Client } from '@hamlet/contract';
import { closeAgent, createClient, ProblemError } from '@hamlet/contract/operator';
import type { Fence, TokenSource } from '@hamlet/kube';

const CLOSE_TIMEOUT_MS = 5_000;
/** Carries the fence of the leader, so that the api can refuse one whose lease has passed to another. */
export const FENCE_HEADER = 'hamlet-fence';

export interface VillageClientOptions {
  readonly baseUrl: string;
  /** The operator's projected token; left out where the api asks for none. */
  readonly token?: TokenSource;
  readonly fence: Fence;
  /** Awaited right before every call that changes something: a leader whose lease is late waits, one that has lost it throws. */
  readonly beforeWrite?: () => Promise<void>;
}

/** The api's client of this leader. */
export function villageClient({ baseUrl, token, fence, beforeWrite }: VillageClientOptions): Client {
  const value = `${fence.leaseUid}:${fence.transitions}`;
  const fenced: typeof fetch = async (input, init) => {
    if ((init?.method ?? 'GET') !== 'GET') await beforeWrite?.();
    const headers = new Headers(init?.headers);
    headers.set(FENCE_HEADER, value);
    return fetch(input, { ...init, headers });
  };
  return createClient({ baseUrl, fetch: fenced, ...(token === undefined ? {} : { token: () => token.read() }) });
}

/** Closes the account of one life. The api takes it any number of times. */
export async function closeAccount(client: Client, agentId: string, uid: string): Promise<void> {
  const outcome = await client.call(closeAgent, {
    params: { agent_id: agentId },
    body: { uid },
    signal: AbortSignal.timeout(CLOSE_TIMEOUT_MS),
  });
  if (!outcome.ok) throw new ProblemError(outcome.problem);
}
