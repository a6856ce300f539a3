import type { IncomingMessage } from 'node:http';

/** The body of an answer. Nothing is read from the connection before its reader begins. */
export function messageBody(message: IncomingMessage): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => new MessageReader(message) };
}

/** Bytes that wait for a reader, above which the connection pauses. */
const WAITING_BYTES = 64 << 10;
/** Limits of the rest of an answer that its reader has left; above them it costs the connection. */
const REST_MS = 1_000;
const REST_BYTES = 64 << 10;

/** Drops the rest of an answer, because a connection is free only after the end: a stream often ends after its last event. */
function dropRest(message: IncomingMessage): void {
  const timer = setTimeout(() => message.destroy(), REST_MS);
  message.once('close', () => clearTimeout(timer));
  let bytes = 0;
  message.on('data', ({ length }: Uint8Array) => {
    bytes += length;
    if (bytes > REST_BYTES) message.destroy();
  });
  message.resume();
}

/**
 * Reads the bytes of an answer for one reader, all that have arrived at a time. Node's own iterator of a stream takes
 * several times the processor time for each piece of a model's answer. Mutable.
 */
class MessageReader implements AsyncIterator<Uint8Array> {
  readonly #message: IncomingMessage;
  #arrived: Uint8Array[] = [];
  #bytes = 0;
  #reader: PromiseWithResolvers<IteratorResult<Uint8Array>> | null = null;
  /** Undefined until the end; null if the answer is complete. */
  #end: Error | null | undefined;
  readonly #take = (piece: Uint8Array): void => {
    this.#arrived.push(piece);
    this.#bytes += piece.length;
    if (this.#reader !== null) this.#give(this.#reader);
    else if (this.#bytes > WAITING_BYTES) this.#message.pause();
  };

  constructor(message: IncomingMessage) {
    this.#message = message;
    message.once('end', () => this.#close(null));
    message.once('error', (error: Error) => this.#close(error));
    message.once('close', () => this.#close(cutOff()));
    if (message.destroyed) this.#close(message.errored ?? cutOff());
    else message.on('data', this.#take);
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    const reader = Promise.withResolvers<IteratorResult<Uint8Array>>();
    this.#give(reader);
    if (this.#reader !== null && this.#message.isPaused()) this.#message.resume();
    return reader.promise;
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#message.off('data', this.#take);
    if (!this.#message.closed) dropRest(this.#message);
    return { done: true, value: undefined };
  }

  /** Gives the reader what has arrived, or the end; else it waits. */
  #give(reader: PromiseWithResolvers<IteratorResult<Uint8Array>>): void {
    this.#reader = null;
    const [first, ...more] = this.#arrived;
    if (first !== undefined) {
      this.#arrived = [];
      this.#bytes = 0;
      reader.resolve({ done: false, value: more.length === 0 ? first : Buffer.concat([first, ...more]) });
    } else if (this.#end === undefined) this.#reader = reader;
    else if (this.#end === null) reader.resolve({ done: true, value: undefined });
    else reader.reject(this.#end);
  }

  #close(end: Error | null): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    if (this.#reader !== null) this.#give(this.#reader);
  }
}

const cutOff = (): Error => new Error('the connection closed before the end of the answer');
