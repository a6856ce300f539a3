import type { Audience } from '@hamlet/contract';
import type { IncomingHttpHeaders } from 'node:http';
import type { Refused } from './outcome.ts';

/**
 * The actor of a request by its credentials; never by a name in the request. `podUid` is the pod that exchanged the token; null for a development
 * token. `stale`: a newer cycle of the agent has begun.
 */
export type Actor =
  | { readonly role: 'visitor'; readonly id: string }
  | { readonly role: 'member' | 'admin'; readonly id: string; readonly accountId: string | null; readonly name: string }
  | {
      readonly role: 'agent';
      readonly id: string;
      readonly agentId: string;
      readonly uid: string;
      readonly podUid: string | null;
      readonly cycle: number;
      readonly stale: boolean;
    }
  | { readonly role: 'operator'; readonly id: string };

export type AgentActor = Extract<Actor, { role: 'agent' }>;

/** The credentials that a request or a socket came with. */
export interface Credentials {
  readonly headers: IncomingHttpHeaders;
  readonly address: string;
  /** Audiences of the listener: where people are served, a caller without credentials is a visitor. */
  readonly listener: readonly Audience[];
  /** Whether the request only reads: then the actor of a moment ago may stand in while Postgres is away. A write needs the actor of now. */
  readonly reads: boolean;
  /** Whether a visitor may read this: then the caller is served as a visitor while Postgres is away and this replica does not know its credentials. */
  readonly isPublic?: boolean;
}

export type Authenticate = (credentials: Credentials) => Promise<Actor | Refused>;

/** A socket or stream that was let in, and stays open for longer than a request. */
export interface OpenConnection {
  readonly actor: Actor;
  /** Authenticates again, by the credentials that the connection came with. */
  recheck(): Promise<Actor | Refused>;
  /** Called once, if the actor would not be let in any more. */
  close(refusal: Refused): void;
}

/** Watches open connections, and ends those whose actor would be refused by now. */
export interface WatchConnections {
  /** Call the result when the connection ends by itself. */
  watch(connection: OpenConnection): () => void;
}
