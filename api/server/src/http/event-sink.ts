import type { Response } from 'express';

const HEARTBEAT_MS = 5_000;
const PAUSE_BYTES = 256 << 10;
/** Limit of unread output. Above it the API drops the connection; its reader reconnects with `after`. */
const BACKLOG_MAX_BYTES = 8 << 20;

export interface EventSink {
  send(event: string, data: unknown, id?: string): void;
  close(): void;
  drained(): Promise<void>;
}

export function setStreamHeaders(response: Response): void {
  response.status(200);
  response.set({ 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
}

/** Sends headers and a comment every 5 s, and calls `onEnd` once, whichever side ends the stream. */
export function openEventSink(response: Response): EventSink & { start(onEnd: () => void): void } {
  let open = true;
  const waiting: string[] = [];
  let started = false;

  function write(text: string): void {
    if (!open) return;
    if (!started) {
      waiting.push(text);
      return;
    }
    response.write(text);
    if (response.writableLength > BACKLOG_MAX_BYTES) response.destroy();
  }

  return {
    send: (event, data, id) =>
      write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    close: () => {
      open = false;
      if (started) response.end();
    },
    drained: async () => {
      if (!started || response.closed || response.writableLength <= PAUSE_BYTES) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      response.once('drain', resolve).once('close', resolve);
      await promise;
      response.off('drain', resolve).off('close', resolve);
    },
    start: (onEnd) => {
      setStreamHeaders(response);
      started = true;
      response.write(`: open\n\n${waiting.join('')}`);
      const heartbeat = setInterval(() => write(': \n\n'), HEARTBEAT_MS);
      const end = (): void => {
        open = false;
        clearInterval(heartbeat);
        onEnd();
      };
      // If the reader left before this point, the close event has already happened.
      if (response.closed) end();
      else response.once('close', end);
      if (!open) response.end();
    },
  };
}
