import { pathsOf } from '@hamlet/contract';
import { readRunTraceRoots } from '@hamlet/store';
import { readTraceparent, traceparentOf, type RequestTracing, type ServedRequest } from '../http/trace.ts';
import type { Job } from '../service/jobs.ts';
import type { Services } from '../service/services.ts';
import { runTraceJob } from './run-traces.ts';
import { isInSample, type Span } from './span.ts';
import { SpanExporter } from './span-exporter.ts';
import { modelSpanId, traceOfRun } from './spans-of-run.ts';
import type { TracingSettings } from './tracing-settings.ts';

export interface Tracing extends RequestTracing {
  /** The `traceparent` of a run's model request; undefined if its trace is not recorded. Does not throw. */
  readonly ofModelRequest: (runId: string, requestId: string) => Promise<string | undefined>;
  readonly jobs: readonly Job[];
  readonly stop: () => Promise<void>;
}

const SERVER_FAULT = 500;

/** The span of a request; null if its trace is not recorded. Pure. */
function spanOfRequest({ route, role, status, given, traceparent, startMs, endMs }: ServedRequest): Span | null {
  const own = readTraceparent(traceparent);
  if (own === null || !own.isSampled) return null;
  const [path = ''] = pathsOf(route);
  return {
    traceId: own.traceId,
    spanId: own.spanId,
    parentSpanId: readTraceparent(given)?.spanId ?? null,
    name: `${route.method} ${path}`,
    kind: 'server',
    startMs,
    endMs,
    attributes: {
      'http.request.method': route.method,
      'http.route': path,
      'http.response.status_code': status,
      'hamlet.route': route.name,
      'hamlet.role': role,
    },
    error: status >= SERVER_FAULT ? String(status) : null,
  };
}

type Ports = Pick<Services, 'db' | 'notifications' | 'registry' | 'log' | 'monotonicMs' | 'replicaId'> & {
  readonly config: { readonly tracing: TracingSettings | null; readonly namespace: string };
};

/** The traces of a replica; null if they are off. */
export function startTracing({ config, ...ports }: Ports): Tracing | null {
  const { tracing, namespace } = config;
  if (tracing === null) return null;
  const { db, notifications, registry, log, monotonicMs, replicaId } = ports;
  const { url, ratio } = tracing;
  const source = { namespace, instance: replicaId };
  const exporter = new SpanExporter({ url, source, registry, log });
  return {
    samples: (traceId) => isInSample(traceId, ratio),
    served: (request) => {
      const span = spanOfRequest(request);
      if (span !== null) exporter.add([span]);
    },
    ofModelRequest: async (runId, requestId) => {
      try {
        const [root] = await readRunTraceRoots(db, [runId], { endedOnly: false });
        if (root === undefined) return undefined;
        const { traceId, isSampled } = traceOfRun(root, ratio);
        return isSampled ? traceparentOf({ traceId, spanId: modelSpanId(requestId), isSampled }) : undefined;
      } catch (error) {
        log('debug', 'a model is asked without its trace', { request_id: requestId, error });
        return undefined;
      }
    },
    jobs: [runTraceJob({ db, notifications, monotonicMs, ratio, add: (spans) => exporter.add(spans) })],
    stop: () => exporter.stop(),
  };
}
