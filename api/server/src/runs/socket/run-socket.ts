import { randomUUID } from 'node:crypto';
import { streamRun } from '@hamlet/contract';
import type { WebSocket } from 'ws';
import type { EventSink } from '../../http/event-sink.ts';
import type { Outcome } from '../../http/outcome.ts';
import type { Attached, SocketRoute } from '../../http/pipeline/serve-sockets.ts';
import { continueTrace } from '../../http/trace.ts';
import type { Village } from '../../village.ts';
import { findShownRun } from '../audience/run-audience.ts';

const PAUSE_BYTES = 256 << 10;
/** Limit of unread output. Above it the API ends the socket; its reader reconnects with `after`. */
const BACKLOG_MAX_BYTES = 8 << 20;
const OVER = 1_000;
/** Close code: the API failed; the reader reconnects. */
const FAILED = 1_011;
/** Close code: the reader is too slow. */
const TOO_SLOW = 4_008;
/** Close code: no such run, a wrong query, or too many streams; the reason names it. */
const REFUSED = 4_404;

function sinkOf(webSocket: WebSocket): EventSink {
  let flushed: Promise<void> = Promise.resolve();
  return {
    send: (type, data, id) => {
      if (webSocket.readyState !== webSocket.OPEN) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      flushed = promise;
      webSocket.send(JSON.stringify({ type, id: id ?? null, data }), () => resolve());
      if (webSocket.bufferedAmount > BACKLOG_MAX_BYTES) webSocket.close(TOO_SLOW, 'too slow: resume with after');
    },
    close: () => webSocket.close(OVER),
    drained: async () => {
      if (webSocket.bufferedAmount > PAUSE_BYTES) await flushed;
    },
  };
}

type RunSocketPorts = Pick<Village, 'db' | 'log' | 'runStreams'>;

async function openStream(
  { db, runStreams }: RunSocketPorts,
  { webSocket, query, actor }: Attached,
): Promise<Outcome<() => void> | 'validation_failed'> {
  const runId = streamRun.params.safeParse({ run_id: query.get('run_id') });
  const asked = streamRun.query.safeParse({ after: query.get('after') ?? undefined });
  if (!runId.success || !asked.success) return 'validation_failed';
  const caller = { actor, requestId: randomUUID(), traceparent: continueTrace(undefined) };
  const found = await findShownRun(db, caller, runId.data.run_id);
  if (!found.ok) return found;
  const { row, veiled } = found.data;
  return runStreams.open({ runId: row.runId, after: asked.data.after, actor, veiled }, sinkOf(webSocket));
}

/**
 * `WS /ws/runs?run_id=…&after=N`: the events of a run after the number N, text while it is written, and the run at each
 * change, like `GET /runs/{run_id}/stream`. The socket closes when the run has ended.
 */
export function runSocket(ports: RunSocketPorts): SocketRoute {
  return {
    permission: 'runs:read',
    attach: (attached) => {
      const { webSocket } = attached;
      let stop: (() => void) | null = null;
      webSocket.on('close', () => stop?.());
      openStream(ports, attached).then(
        (opened) => {
          if (opened === 'validation_failed') return webSocket.close(REFUSED, opened);
          if (!opened.ok) return webSocket.close(REFUSED, opened.reason);
          stop = opened.data;
          // The reader may have left while the run was read.
          if (webSocket.readyState === webSocket.CLOSED) stop();
        },
        (error: unknown) => {
          ports.log('warn', 'a socket of a run could not be opened', { error });
          webSocket.close(FAILED, 'try again');
        },
      );
    },
  };
}
