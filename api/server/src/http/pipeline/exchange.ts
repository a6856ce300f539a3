import type { Audience, RouteSpec } from '@hamlet/contract';
import type { Request, Response } from 'express';
import type { Actor, Authenticate, WatchConnections } from '../actor.ts';
import type { RateVerdict } from '../rate-limit.ts';
import type { HttpMetrics } from '../../service/metrics.ts';
import type { JsonWriter } from './answer.ts';
import type { AnyHandler } from '../handler.ts';
import type { AddressGate } from './address-gate.ts';
import type { RefuseDirect } from '../../permissions/direct-calls.ts';
import type { RequestTracing } from '../trace.ts';
import type { Services } from '../../service/services.ts';

/** The verdicts on one request. */
export interface CountedRequest {
  /** By the count of this replica alone. Null if the replicas must count the request together and Redis does not answer at present. */
  readonly here: RateVerdict | null;
  /** By the count that decides. Null if the replicas must count the request together and Redis does not answer. Never rejects. */
  readonly whole: Promise<RateVerdict | null>;
}

/** Counts one request of an authenticated actor. */
export type LimitActor = (
  actor: Actor,
  route: Pick<RouteSpec, 'name' | 'tag' | 'method' | 'permission'>,
) => Promise<CountedRequest>;

export interface MountPorts extends Pick<Services, 'db' | 'log' | 'monotonicMs'> {
  readonly metrics: HttpMetrics;
  readonly gate: AddressGate;
  readonly limitActor: LimitActor;
  readonly authenticate: Authenticate;
  readonly refuseDirect: RefuseDirect;
  readonly guard: WatchConnections;
  /** True in tests: an answer outside the contract fails. Otherwise the API logs and counts it. */
  readonly strictAnswers: boolean;
  /** Null if the village has no traces. */
  readonly tracing: RequestTracing | null;
}

export interface Exchange {
  readonly route: RouteSpec;
  readonly handler: AnyHandler;
  readonly listener: readonly Audience[];
  readonly ports: MountPorts;
  readonly request: Request;
  readonly response: Response;
  readonly writeJson: JsonWriter;
  readonly isChecked: () => boolean;
  readonly address: string;
  readonly requestId: string;
  readonly traceparent: string;
}
