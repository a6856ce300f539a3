/** Faults between a client and the API server. */
import type { Exchange, Fault, Pump } from './fault-proxy.ts';

type Matches = Fault['matches'];

/** Watches of one kind, or of all. */
export const watchesOf =
  (resource?: string): Matches =>
  ({ isWatch, resource: of }) =>
    isWatch && (resource === undefined || of === resource);

/** Lists of one kind. */
export const listsOf =
  (resource: string): Matches =>
  ({ isWatch, method, resource: of, path }) =>
    !isWatch && method === 'GET' && of === resource && path.endsWith(`/${resource}`);

/** All writes except those of leases. */
export const writes: Matches = ({ method, resource }) => method !== 'GET' && resource !== 'leases';

export const leases: Matches = ({ resource, isWatch }) => resource === 'leases' && !isWatch;

const status = (code: number, reason: string): string =>
  JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code,
    reason,
    message: `${reason}, says the proxy`,
  });

/** The API server refuses the request, with these headers. */
export function refusing(
  matches: Matches,
  times: number,
  {
    code,
    reason,
    headers = {},
  }: { readonly code: number; readonly reason: string; readonly headers?: Readonly<Record<string, string>> },
): Fault {
  return {
    matches,
    times,
    act: ({ exchange, response }) => {
      exchange.status = code;
      response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(status(code, reason));
    },
  };
}

export const through = (matches: Matches, times: number, pump: Pump): Fault => ({
  matches,
  times,
  act: ({ forward }) => forward(pump),
});

/** The connection breaks in the middle of the first event. */
export const breakInMidEvent: Pump = (upstream, response) => {
  upstream.once('data', (chunk: Buffer) => {
    response.write(chunk.subarray(0, Math.ceil(chunk.length / 2)), () => response.socket?.resetAndDestroy());
  });
};

/** Sends each byte as a separate packet, so that no character of several bytes arrives whole. */
export const byteByByte: Pump = (upstream, response) => {
  upstream.on('data', (chunk: Buffer) => {
    for (const byte of chunk) response.write(Uint8Array.of(byte));
  });
  upstream.once('end', () => response.end());
};

/** Sends a few bytes, then pauses, repeatedly. */
export const slowDrip =
  (bytes: number, everyMs: number): Pump =>
  (upstream, response) => {
    const waiting: Buffer[] = [];
    let ended = false;
    const timer = setInterval(() => {
      const [head, ...rest] = waiting.splice(0);
      if (head !== undefined) {
        response.write(head.subarray(0, bytes));
        if (head.length > bytes) waiting.push(head.subarray(bytes));
        waiting.push(...rest);
      } else if (ended) response.end();
    }, everyMs);
    upstream.on('data', (chunk: Buffer) => waiting.push(chunk));
    upstream.once('end', () => (ended = true));
    response.once('close', () => clearInterval(timer));
  };

/** The version has expired: the answer is not a status but an event within the watch. */
export const goneAsEvent: Pump = (upstream, response) => {
  upstream.resume();
  response.end(`${JSON.stringify({ type: 'ERROR', object: JSON.parse(status(410, 'Expired')) as unknown })}\n`);
};

/** The connection hangs: it delivers neither data nor an error. */
export const silence: Pump = (upstream) => void upstream.resume();

/** The API server receives and performs the request; its answer never arrives. */
export function answerLost(matches: Matches, times: number): Fault {
  return {
    matches,
    times,
    act: ({ forward, response }) =>
      forward((upstream) => {
        upstream.resume();
        response.socket?.resetAndDestroy();
      }),
  };
}

/** Requests of one kind and method, for counting. */
export const count = (log: readonly Exchange[], matches: (exchange: Exchange) => boolean): number =>
  log.filter(matches).length;
