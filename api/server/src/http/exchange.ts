import type { Audience, RouteSpec } from '@hamlet/contract';
import type { Db } from '@hamlet/store';
import type { Request, Response } from 'express';
import type { ActorLimiter } from '../limits/actor-limiter.ts';
import type { Authenticate } from '../auth/authenticate.ts';
import type { ConnectionGuard } from '../auth/connection-guard.ts';
import type { HttpMetrics } from '../service/metrics.ts';
import type { Log } from '../service/log.ts';
import type { JsonWriter } from './answer/json-writer.ts';
import type { AnyHandler } from './handler.ts';
import type { AddressGate } from './admission/address-gate.ts';

/** What every route shares. */
export interface MountPorts {
  readonly db: Db;
  readonly log: Log;
  readonly metrics: HttpMetrics;
  /** Limits what one address asks. */
  readonly gate: AddressGate;
  /** Clock of durations, in ms. */
  readonly monotonicMs: () => number;
  /** Counts what somebody asks who has said who it is. */
  readonly limitActor: ActorLimiter;
  /** Who sends this; a refusal where a credential is sent and is not good. */
  readonly authenticate: Authenticate;
  /** Ends streams whose holder would be refused by now. */
  readonly guard: Pick<ConnectionGuard, 'watch'>;
  /** Whether an answer outside the contract fails (tests) or is sent and counted (production). */
  readonly strictAnswers: boolean;
}

/** One request on its way through a route. */
export interface Exchange {
  readonly route: RouteSpec;
  readonly handler: AnyHandler;
  /** The audiences of the listener it came in by. */
  readonly listener: readonly Audience[];
  readonly ports: MountPorts;
  readonly request: Request;
  readonly response: Response;
  readonly writeJson: JsonWriter;
  /** The caller's, as far as the proxies that are trusted say. */
  readonly address: string;
  readonly requestId: string;
  readonly traceparent: string;
}
