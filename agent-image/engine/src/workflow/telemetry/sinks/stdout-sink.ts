import type { Writable } from 'node:stream';
import type { TelemetrySink } from '../bus.ts';

/** Prints each event as a line of JSON, as fast as the reader takes them. */
export const stdoutSink = (stream: Writable): TelemetrySink => ({
  name: 'stdout',
  write: (events, signal) => {
    const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // A stream that its reader has closed emits an error, which would end the process.
    const onError = (error: Error): void => reject(error);
    const onAbort = (): void => reject(signal.reason);
    stream.on('error', onError);
    signal.addEventListener('abort', onAbort);
    stream.write(lines, (error) => (error ? reject(error) : resolve()));
    return promise.finally(() => {
      signal.removeEventListener('abort', onAbort);
      stream.off('error', onError);
    });
  },
});
