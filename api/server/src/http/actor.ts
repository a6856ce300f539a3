import type { Audience } from '@hamlet/contract';
import type { IncomingHttpHeaders } from 'node:http';
import type { CallerProof } from '@hamlet/store';
import type { Refused } from './outcome.ts';

/** An API key of a person. The id is not a credential. */
export interface ActingKey {
  readonly keyId: string;
  readonly scopes: readonly string[];
}

/**
 * The actor of a request, identified by its credentials. `podUid` is null for a development token. `stale` is true if a
 * newer cycle of the agent has begun. `proof` is set if the agent was identified from a cache: its handler must verify
 * it.
 */
export type Actor =
  | { readonly role: 'visitor'; readonly id: string }
  | {
      readonly role: 'member' | 'admin';
      readonly id: string;
      readonly accountId: string | null;
      readonly name: string;
      /** Set if a program of the person calls: the API key limits the permissions of the role to its scopes. */
      readonly key?: ActingKey;
    }
  | {
      readonly role: 'agent';
      readonly id: string;
      readonly agentId: string;
      readonly uid: string;
      readonly podUid: string | null;
      readonly cycle: number;
      readonly stale: boolean;
      readonly proof?: CallerProof;
    }
  | { readonly role: 'operator' | 'broker'; readonly id: string };

export type AgentActor = Extract<Actor, { role: 'agent' }>;

export interface Credentials {
  readonly headers: IncomingHttpHeaders;
  readonly address: string;
  /** Audiences of the listener. If they include people, a caller without credentials is a visitor. */
  readonly listener: readonly Audience[];
  /** True if the request only reads: while Postgres is down, the cached actor is enough. */
  readonly reads: boolean;
  /** True if a visitor may read this: while Postgres is down, an unknown credential is served as a visitor. */
  readonly isPublic?: boolean;
  /**
   * True if the handler verifies agents itself: an agent that was identified in the last five minutes needs no look-up.
   */
  readonly verifiedLater?: boolean;
}

export type Authenticate = (credentials: Credentials) => Promise<Actor | Refused>;

export interface OpenConnection {
  readonly actor: Actor;
  recheck(): Promise<Actor | Refused>;
  /** The watcher calls it once, when the API would refuse the actor. */
  close(refusal: Refused): void;
}

export interface WatchConnections {
  watch(connection: OpenConnection): () => void;
}
