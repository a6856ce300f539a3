/** Spans as a request of OTLP/HTTP in JSON (opentelemetry-proto 1.x). Pure. */
import type { Span } from './span.ts';

const KINDS: Readonly<Record<Span['kind'], number>> = { internal: 1, server: 2, client: 3 };
const STATUS_ERROR = 2;

type AttributeValue =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly doubleValue: number };

/** Integers of 64 bits are texts in the JSON of protocol buffers. */
function valueOf(value: string | number): AttributeValue {
  if (typeof value === 'string') return { stringValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

const attributesOf = (values: Span['attributes']) =>
  Object.entries(values).flatMap(([key, value]) => (value === null ? [] : [{ key, value: valueOf(value) }]));

const nanos = (ms: number): string => `${Math.round(ms)}000000`;

function spanJson({ traceId, spanId, parentSpanId, name, kind, startMs, endMs, attributes, error }: Span) {
  return {
    traceId,
    spanId,
    ...(parentSpanId === null ? {} : { parentSpanId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanos(startMs),
    // The clock may have been set back in between.
    endTimeUnixNano: nanos(Math.max(startMs, endMs)),
    attributes: attributesOf({ ...attributes, 'error.type': error }),
    events: [],
    status: error === null ? {} : { code: STATUS_ERROR, message: error },
  };
}

/** Raised with each change of the names or attributes of spans. */
const SPANS_VERSION = '1';

/** The replica that sends the spans. */
export interface SpanSource {
  readonly namespace: string;
  readonly instance: string;
}

export function otlpRequest(spans: readonly Span[], { namespace, instance }: SpanSource): string {
  const resource = {
    'service.name': 'hamlet-api',
    'service.namespace': namespace,
    'service.instance.id': instance,
  };
  const scope = { name: '@hamlet/server', version: SPANS_VERSION };
  return JSON.stringify({
    resourceSpans: [
      { resource: { attributes: attributesOf(resource) }, scopeSpans: [{ scope, spans: spans.map(spanJson) }] },
    ],
  });
}
