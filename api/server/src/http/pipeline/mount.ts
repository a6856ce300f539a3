import { pathsOf, type Audience, type RouteSpec } from '@hamlet/contract';
import type { RequestHandler, Router } from 'express';
import { randomUUID } from 'node:crypto';
import type { Actor } from '../actor.ts';
import { openCompletionChannel, whenClosed } from '../completion-channel.ts';
import { openEventSink } from '../event-sink.ts';
import type { Answered, AnyHandler } from '../handler.ts';
import { runOnce, writeKeyOf } from '../idempotent.ts';
import type { Refused } from '../outcome.ts';
import { refusalOfError, sendRefusal } from '../respond.ts';
import { continueTrace } from '../trace.ts';
import { admit, authenticate, type Admitted } from './admit.ts';
import { answer, answerCheck, jsonWriter, reportOutsideContract } from './answer.ts';
import type { Exchange, MountPorts } from './exchange.ts';
import { bodyReader, parseRequest, type ReadBody } from './parse-request.ts';

export interface Mounted {
  readonly route: RouteSpec;
  readonly handler: AnyHandler;
  readonly listener: readonly Audience[];
}

export function mount(router: Router, mounted: Mounted, ports: MountPorts): void {
  const { route } = mounted;
  const writeJson = jsonWriter(ports);
  const isChecked = answerCheck(ports);
  const readBody = bodyReader(route);
  const serve: RequestHandler = async (request, response) => {
    const startedMs = ports.monotonicMs();
    const exchange: Exchange = {
      ...mounted,
      ports,
      request,
      response,
      writeJson,
      isChecked,
      address: ports.gate.addressOf(request),
      requestId: randomUUID(),
      traceparent: continueTrace(request.get('traceparent'), ports.tracing?.samples),
    };
    response
      .setHeader('x-request-id', exchange.requestId)
      .setHeader('traceparent', exchange.traceparent)
      .setHeader('x-content-type-options', 'nosniff');
    response.once('close', () =>
      ports.metrics.observe(route.name, response.statusCode, ports.monotonicMs() - startedMs),
    );
    try {
      const refusal = await handle(exchange, readBody);
      if (refusal !== null) refuse(exchange, refusal);
    } catch (error) {
      fail(exchange, error);
    }
  };
  for (const path of pathsOf(route)) {
    const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1').replace(/\{(\w+)\*\}$/, '*$1');
    router[route.method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete'](pattern, serve);
  }
}

async function handle(exchange: Exchange, readBody: ReadBody): Promise<Refused | null> {
  const admitted = await admit(exchange);
  if (!admitted.ok) return admitted;
  const refusal = await serveAdmitted(exchange, admitted, readBody);
  return refusal === null ? null : ((await admitted.limited()) ?? refusal);
}

async function serveAdmitted(exchange: Exchange, admitted: Admitted, readBody: ReadBody): Promise<Refused | null> {
  const ownSpan = traceRequest(exchange, admitted.actor);
  const unread = await readBody(exchange.request, exchange.response);
  if (unread !== null) return unread;
  const parsed = parseRequest(exchange.route, exchange.request);
  if (!parsed.ok) return parsed;
  const denied = await exchange.ports.refuseDirect(admitted.actor, exchange.route, parsed.value.body);
  if (denied !== null) return denied;
  const { requestId, traceparent, request, response, address } = exchange;
  const input = {
    ...parsed.value,
    actor: admitted.actor,
    requestId,
    traceparent,
    ownSpan,
    now: new Date(),
    headers: request.headers,
    address,
  };
  if (exchange.handler.kind === 'stream') return openStream(exchange, admitted.actor, input);
  if (exchange.handler.kind === 'completion') return complete(exchange, admitted, input);
  const answered = await run(exchange, { actorId: admitted.actor.id, parsed: parsed.value, input });
  if ('reason' in answered) return answered;
  if (answered.replayed) response.set('idempotency-replayed', 'true');
  return answer(exchange, answered.outcome);
}

/**
 * Gives the request of a person a span, and returns the span's `traceparent`. Other requests have none: strangers must
 * not fill the collector, and the traces of runs show what agents do.
 */
function traceRequest(exchange: Exchange, { role }: Actor): string | undefined {
  const { ports, route, request, response, traceparent } = exchange;
  const { tracing } = ports;
  if (tracing === null || (role !== 'member' && role !== 'admin')) return undefined;
  const startMs = Date.now();
  const given = request.get('traceparent');
  response.once('close', () =>
    tracing.served({ route, role, status: response.statusCode, given, traceparent, startMs, endMs: Date.now() }),
  );
  return traceparent;
}

/** Calls `close` when the API would refuse a person: their session or key has ended. Returns a function that ends the watch. */
function watchPerson({ request, address, listener, ports }: Exchange, actor: Actor, close: () => void): () => void {
  // WakeHub ends a resident's stream with the cycle or a measure.
  if (actor.role !== 'member' && actor.role !== 'admin') return () => undefined;
  const recheck = () => ports.authenticate({ headers: request.headers, address, listener, reads: true });
  return ports.guard.watch({ actor, recheck, close });
}

async function openStream(exchange: Exchange, actor: Actor, input: unknown): Promise<Refused | null> {
  const { handler, response } = exchange;
  if (handler.kind !== 'stream') return null;
  const sink = openEventSink(response);
  const opened = await handler.open(input, sink);
  if (!opened.ok) return opened;
  const unwatch = watchPerson(exchange, actor, () => sink.close());
  sink.start(() => {
    unwatch();
    opened.data();
  });
  return null;
}

async function complete(exchange: Exchange, { actor, limited }: Admitted, input: unknown): Promise<Refused | null> {
  const { handler, route, response, requestId } = exchange;
  if (handler.kind !== 'completion') return null;
  const channel = openCompletionChannel(route, response, {
    requestId,
    limited,
    isChecked: exchange.isChecked,
    onBadChunk: (issues) => reportOutsideContract(exchange, issues),
  });
  whenClosed(
    response,
    watchPerson(exchange, actor, () => channel.leave()),
  );
  const outcome = await handler.run(input, channel);
  if (outcome === null) return null;
  const isDisproved = !outcome.ok && outcome.reason === 'token_invalid';
  return answer(exchange, isDisproved ? await refusalNow(exchange, outcome) : outcome);
}

/** The refusal of an agent that its handler could not verify. A new look-up, which replaces the cached identity, gives the reason. */
async function refusalNow(exchange: Exchange, disproved: Refused): Promise<Refused> {
  const actor = await authenticate(exchange, { now: true });
  return 'ok' in actor ? actor : disproved;
}

async function run(
  exchange: Exchange,
  call: { readonly actorId: string; readonly parsed: unknown; readonly input: unknown },
): Promise<Answered | Refused> {
  const { handler, route, request, ports } = exchange;
  if (handler.kind === 'plain') return { outcome: await handler.run(call.input), replayed: false };
  if (handler.kind === 'stream' || handler.kind === 'completion')
    throw new TypeError(`a bug: ${route.name} is a stream and cannot be served as an answer`);
  const key = writeKeyOf(call.actorId, request.get('idempotency-key'), { route: route.name, input: call.parsed });
  if (!key.ok) return key;
  if (handler.kind !== 'tx') return handler.run(call.input, key.key);
  return runOnce(ports.db, key.key, (tx) => handler.run(call.input, tx));
}

/** Only routes that ask a model may answer that it failed. */
const asksModel = ({ permission, reasons }: RouteSpec): boolean =>
  permission === 'models:use' && reasons.includes('model_failed');

/** Sends a refusal. Those of requests to models are counted here, by the reason that the caller gets. */
function refuse({ route, response, requestId, ports }: Exchange, refusal: Refused): void {
  if (asksModel(route) && refusal.asked !== true) ports.metrics.modelRefused(refusal.reason);
  sendRefusal(response, refusal, requestId);
}

function fail(exchange: Exchange, error: unknown): void {
  const { route, response, requestId, traceparent, ports } = exchange;
  const refusal = refusalOfError(error);
  // Refusals during a freeze are expected and would fill the log.
  if (refusal.reason !== 'village_frozen')
    ports.log(refusal.reason === 'internal' ? 'error' : 'warn', 'request failed', {
      route: route.name,
      request_id: requestId,
      traceparent,
      error,
    });
  if (response.headersSent) response.destroy();
  else refuse(exchange, refusal);
}
