import type { Client, ClaimBody, ComputeClaim } from '@hamlet/contract';
import { claimCompute, closeAgent, createClient, dataOf, releaseCompute } from '@hamlet/contract/operator';
import type { Fence, TokenSource } from '@hamlet/kube';

const TIMEOUT_MS = 5_000;
/** Header with the leader's fence, so that the api can refuse a process that no longer holds the Lease. */
const FENCE_HEADER = 'hamlet-fence';

interface VillageClientOptions {
  readonly baseUrl: string;
  /** The operator's projected token; undefined if the api requires none. */
  readonly token?: TokenSource;
  readonly fence: Fence;
  /** Awaited before each write. It waits while a renewal of the lease is late, and throws once the lease is lost. */
  readonly beforeWrite?: () => Promise<void>;
}

/** The leader's client of the api. Every request carries the fence. */
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

/** Closes the account of the Agent with that uid. Idempotent. Throws ProblemError if the api refuses. */
export async function closeAccount(client: Client, agentId: string, uid: string): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  await dataOf(client.call(closeAgent, { params: { agent_id: agentId }, body: { uid }, signal }));
}

export interface HoldPort {
  /** Requests money for a pod, or reports that it runs. Stores the answer; throws if the api cannot decide yet. */
  ask(claim: ClaimBody): Promise<void>;
  /** Releases the claim up to that version, because no pod of a priced tier needs it. */
  release(claim: { readonly agentId: string; readonly uid: string; readonly version: number }): Promise<void>;
}

export interface ClaimMemory {
  /** Stores a claim that the api reported. `askedMs`: when this process itself asked, in milliseconds since 1970. */
  learnClaim(claim: ComputeClaim, askedMs?: number): void;
  /** Records that a release up to that version has begun: no pod may start with that claim, even without an answer. */
  giveUpClaim(agentId: string, version: number): void;
}

export function holdsThrough(client: Client, memory: ClaimMemory): HoldPort {
  return {
    ask: async (body) => {
      const askedMs = Date.now();
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const { granted, reason, claim } = await dataOf(client.call(claimCompute, { body, signal }));
      if (claim !== null) memory.learnClaim(claim, askedMs);
      // A new or changed Entitlement may reach the api slightly later or earlier than the operator.
      if (claim === null || (!granted && reason === 'HoldPending'))
        throw new Error(`the api does not know the price of ${body.tier} yet`);
    },
    release: async ({ agentId, uid, version }) => {
      memory.giveUpClaim(agentId, version);
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      await dataOf(client.call(releaseCompute, { body: { agent_id: agentId, uid, version }, signal }));
    },
  };
}
