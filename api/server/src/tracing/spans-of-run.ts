/** The trace of a run, from its rows. Names follow OpenTelemetry's semantic conventions for GenAI (in development). Pure. */
import type { RunTraceRoot, TracedAttempt, TracedCall, TracedRequest, TracedRun } from '@hamlet/store';
import { readTraceparent, type TraceContext } from '../http/trace.ts';
import { isInSample, spanIdOf, traceIdOf, type Span } from './span.ts';

const runSpanId = (runId: string): string => spanIdOf('run', runId);
export const modelSpanId = (requestId: string): string => spanIdOf('model', requestId);
const toolSpanId = (runId: string, callId: string): string => spanIdOf('tool', runId, callId);

/**
 * The trace of a run: that of the request which created it or, for a worker, its root. A run without such a request, for
 * example of a Schedule, begins a trace. `spanId` is that of the request; null without one.
 */
export function traceOfRun(
  { rootId, traceparent }: RunTraceRoot,
  ratio: number,
): Omit<TraceContext, 'spanId'> & { readonly spanId: string | null } {
  const given = readTraceparent(traceparent);
  if (given !== null) return given;
  const traceId = traceIdOf('run', rootId);
  return { traceId, spanId: null, isSampled: isInSample(traceId, ratio) };
}

/** An agent writes some codes itself: anything else could be its text. */
const CODE = /^[a-z][a-z0-9_]{0,63}$/;
const codeOf = (code: string | null, otherwise: string): string =>
  code !== null && CODE.test(code) ? code : otherwise;

/** The form of the engine's ids of calls. An agent writes these ids, so a span replaces one of another form by its own id. */
const COUNTED = /^[a-z]?\d{1,9}(?:\.[a-z]?\d{1,9}){0,3}$/;

interface Place {
  readonly traceId: string;
  readonly parentSpanId: string | null;
}

/** Spans of an ended run: itself, its wait, its requests to models, its tool calls and their requests out of the pod. */
export function spansOfRun(run: TracedRun, ratio: number): readonly Span[] {
  const { traceId, spanId } = traceOfRun(run, ratio);
  const { runId, parentRunId, parentCallId } = run;
  const isWorker = parentRunId !== null && parentCallId !== null;
  const parent = isWorker ? toolSpanId(parentRunId, parentCallId) : spanId;
  const inRun: Place = { traceId, parentSpanId: runSpanId(runId) };
  const calls = new Set(run.calls.map(({ callId }) => callId));
  return [
    spanOfRun(run, { traceId, parentSpanId: parent }),
    ...queueSpan(run, inRun),
    ...run.requests.map((request) => spanOfRequest(run, request, inRun)),
    ...run.calls.map((call) => spanOfCall(run, call, inRun)),
    ...run.attempts.map((attempt) => {
      const { callId } = attempt;
      const isOfCall = callId !== null && calls.has(callId);
      return spanOfAttempt(attempt, isOfCall ? { traceId, parentSpanId: toolSpanId(runId, callId) } : inRun);
    }),
  ];
}

function spanOfRun(run: TracedRun, place: Place): Span {
  const { runId, agentId, kind, state, sessionId, attempt, errorCode, createdAt, endedAt } = run;
  return {
    ...place,
    spanId: runSpanId(runId),
    name: `invoke_agent ${agentId}`,
    kind: 'internal',
    startMs: createdAt.getTime(),
    endMs: endedAt.getTime(),
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': agentId,
      'gen_ai.conversation.id': sessionId,
      'hamlet.run': runId,
      'hamlet.run.kind': kind,
      'hamlet.run.state': state,
      'hamlet.run.attempts': attempt,
    },
    error: state === 'failed' ? codeOf(errorCode, 'failed') : null,
  };
}

/** The wait until the agent began; none for a run that ended before. */
function queueSpan({ runId, createdAt, startedAt }: TracedRun, place: Place): readonly Span[] {
  if (startedAt === null) return [];
  const [startMs, endMs] = [createdAt.getTime(), startedAt.getTime()];
  const own = { spanId: spanIdOf('queue', runId), name: 'wait for agent', kind: 'internal' } as const;
  return [{ ...place, ...own, startMs, endMs, attributes: { 'hamlet.run': runId }, error: null }];
}

function spanOfRequest(run: TracedRun, request: TracedRequest, place: Place): Span {
  const { requestId, model, provider, outcome, promptTokens, completionTokens, startedAt, endedAt } = request;
  // Only an answer of embeddings has no tokens.
  const operation = outcome === 'done' && completionTokens === 0 ? 'embeddings' : 'chat';
  return {
    ...place,
    spanId: modelSpanId(requestId),
    name: `${operation} ${model}`,
    kind: 'client',
    startMs: startedAt.getTime(),
    endMs: (endedAt ?? run.endedAt).getTime(),
    attributes: {
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': model,
      'gen_ai.conversation.id': run.sessionId,
      'gen_ai.usage.input_tokens': promptTokens,
      'gen_ai.usage.output_tokens': completionTokens,
      'hamlet.run': run.runId,
      'hamlet.request': requestId,
    },
    error: outcome === 'done' ? null : outcome,
  };
}

function spanOfCall(run: TracedRun, { callId, tool, kind, code, begunAt, settledAt }: TracedCall, place: Place): Span {
  const spanId = toolSpanId(run.runId, callId);
  return {
    ...place,
    spanId,
    name: `execute_tool ${tool}`,
    kind: 'internal',
    startMs: begunAt.getTime(),
    endMs: (settledAt ?? run.endedAt).getTime(),
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool,
      'gen_ai.tool.call.id': COUNTED.test(callId) ? callId : spanId,
      'gen_ai.tool.type': 'function',
      'hamlet.run': run.runId,
    },
    error: kind === 'ok' ? null : codeOf(code, kind ?? 'unknown'),
  };
}

/** The methods of the conventions; others are `_OTHER`. */
const METHODS: ReadonlySet<string> = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'QUERY',
  'TRACE',
]);
const FIRST_FAILURE = 400;

/** Leaves out the path, which is a text of the agent. */
function spanOfAttempt(attempt: TracedAttempt, place: Place): Span {
  const { attemptId, host, port, status, refused, cutOff, begunAt, endedAt } = attempt;
  // Without a method the broker tunnelled the connection unread.
  const method = attempt.method ?? 'CONNECT';
  const isKnown = METHODS.has(method);
  const failed = status !== null && status >= FIRST_FAILURE ? String(status) : null;
  return {
    ...place,
    spanId: spanIdOf('egress', attemptId),
    name: isKnown ? method : 'HTTP',
    kind: 'client',
    startMs: begunAt.getTime(),
    endMs: (endedAt ?? begunAt).getTime(),
    attributes: {
      'http.request.method': isKnown ? method : '_OTHER',
      'http.response.status_code': status,
      'server.address': host,
      'server.port': port,
      'hamlet.attempt': attemptId,
    },
    error: refused ?? cutOff ?? failed,
  };
}
