import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { atEnd } from '../at-end.ts';
import { z } from 'zod';

/** 64-bit numbers are texts in the JSON of protocol buffers, and enumerations are numbers. */
const int64 = z.string().regex(/^-?\d{1,19}$/);
const nanos = z.string().regex(/^[1-9]\d{17,18}$/);
const hex = (digits: number) => z.string().regex(new RegExp(`^(?!0+$)[0-9a-f]{${digits}}$`));

const AnyValue = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: int64 }),
  z.strictObject({ doubleValue: z.number() }),
  z.strictObject({ arrayValue: z.strictObject({ values: z.array(z.strictObject({ stringValue: z.string() })) }) }),
]);
const attributes = z
  .array(z.strictObject({ key: z.string().min(1), value: AnyValue }))
  .refine((list) => new Set(list.map(({ key }) => key)).size === list.length, 'a key appears twice');

const OtlpSpan = z
  .strictObject({
    traceId: hex(32),
    spanId: hex(16),
    parentSpanId: hex(16).optional(),
    name: z.string().min(1),
    kind: z.int().min(1).max(5),
    startTimeUnixNano: nanos,
    endTimeUnixNano: nanos,
    attributes,
    events: z.array(z.strictObject({ timeUnixNano: nanos, name: z.string().min(1), attributes })).max(128),
    status: z.strictObject({ code: z.literal([1, 2]).optional(), message: z.string().optional() }),
  })
  .refine((span) => BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano), 'the span ends before it starts');
export type ReceivedSpan = z.infer<typeof OtlpSpan>;

const Request = z.strictObject({
  resourceSpans: z
    .array(
      z.strictObject({
        resource: z.strictObject({ attributes }),
        scopeSpans: z
          .array(
            z.strictObject({
              scope: z.strictObject({ name: z.string().min(1), version: z.string().min(1) }),
              spans: z.array(OtlpSpan).min(1),
            }),
          )
          .min(1),
      }),
    )
    .min(1),
});

/** An answer of a receiver before it takes a request: a status with headers and a body, or none at all. */
export type Hindrance =
  | Readonly<{ status: number; headers?: Readonly<Record<string, string>>; body?: string }>
  | 'hangs'
  | 'hangs_up';

export type OtlpReceiver = Readonly<{
  endpoint: string;
  spans: ReceivedSpan[];
  /** Times of all requests, by the monotonic clock. */
  requests: number[];
}>;

/** A receiver of OTLP/HTTP in JSON, which refuses every request that the protocol does not allow. */
export async function otlpReceiver(hindrances: readonly Hindrance[] = []): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const requests: number[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const hindrance = hindrances[requests.length];
    requests.push(performance.now());
    const body = await text(request);
    if (hindrance === 'hangs') return;
    if (hindrance === 'hangs_up') return void request.socket.destroy();
    response.setHeader('content-type', 'application/json');
    if (hindrance !== undefined)
      return void response.writeHead(hindrance.status, hindrance.headers).end(hindrance.body ?? '{}');
    const problem = problemOf(request, body);
    if (problem !== null) return void response.writeHead(400).end(JSON.stringify({ message: problem }));
    const read = Request.parse(JSON.parse(body));
    spans.push(...read.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
    response.writeHead(200).end('{}');
  };
  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { endpoint: `http://127.0.0.1:${port}`, spans, requests };
}

function problemOf({ method, url, headers }: IncomingMessage, body: string): string | null {
  try {
    assert.deepEqual(
      { method, url, type: headers['content-type'] },
      { method: 'POST', url: '/v1/traces', type: 'application/json' },
    );
    Request.parse(JSON.parse(body));
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
