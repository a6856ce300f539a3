import { ModelFault } from '../chat/model-error.ts';
import type { AnswerLimits } from './answer-limits.ts';
import type { Fetch, ModelPorts } from './model-ports.ts';

const LINE_FEED = 10;

interface Guard {
  readonly ports: Pick<ModelPorts, 'fetch' | 'after'>;
  readonly limits: AnswerLimits;
  /** True if the body is read by lines, each of which has a limit. */
  readonly byLines: boolean;
}

/** The timers and the signal of one exchange. Mutable, because timers are armed again with each read. */
class Watch {
  readonly #abort = new AbortController();
  readonly #guard: Guard;
  readonly #caller: AbortSignal | null;
  readonly #stopTotal: () => void;
  #stopWait: () => void = () => {};
  readonly #onCaller = (): void => this.#abort.abort(this.#caller?.reason);

  constructor(guard: Guard, caller: AbortSignal | null) {
    this.#guard = guard;
    this.#caller = caller;
    const { totalMs } = guard.limits;
    this.#stopTotal = guard.ports.after(totalMs, () => this.fail(`the answer was not complete after ${totalMs} ms`));
    if (caller?.aborted === true) this.#onCaller();
    else caller?.addEventListener('abort', this.#onCaller, { once: true });
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  fail(message: string): void {
    this.#abort.abort(new ModelFault('network', message));
  }

  /** Limits the wait for the next bytes. */
  wait(ms: number, what: string): void {
    this.rest();
    this.#stopWait = this.#guard.ports.after(ms, () => this.fail(`${what} did not arrive within ${ms} ms`));
  }

  rest(): void {
    this.#stopWait();
  }

  end(): void {
    this.rest();
    this.#stopTotal();
    this.#caller?.removeEventListener('abort', this.#onCaller);
  }

  /** The reason of a failure: that of the watch if the watch aborted, else that of the connection. */
  reasonOf(thrown: unknown): unknown {
    if (this.signal.aborted) return this.signal.reason;
    if (thrown instanceof ModelFault) return thrown;
    return new ModelFault('network', `the connection failed: ${causeOf(thrown)}`);
  }
}

/** The innermost message: `fetch failed` alone does not name the cause. */
function causeOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.cause instanceof Error ? thrown.cause.message : thrown.message;
}

/** Counts bytes of an answer and of its lines, and refuses too many. */
function byteCounter({ limits, byLines }: Guard): (bytes: Uint8Array) => void {
  let total = 0;
  let line = 0;
  function endLine(length: number): void {
    line += length;
    if (line > limits.lineBytes)
      throw new ModelFault('bad_answer', `a line of the answer has more than ${limits.lineBytes} bytes`);
  }
  return (bytes) => {
    total += bytes.length;
    if (total > limits.answerBytes)
      throw new ModelFault('bad_answer', `the answer has more than ${limits.answerBytes} bytes`);
    if (!byLines) return;
    let start = 0;
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, start)) {
      endLine(at - start);
      line = 0;
      start = at + 1;
    }
    endLine(bytes.length - start);
  };
}

function guardedBody(body: ReadableStream<Uint8Array>, guard: Guard, watch: Watch): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const count = byteCounter(guard);
  let isFirst = true;
  async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      if (!isFirst) watch.wait(guard.limits.idleMs, 'the next bytes of the answer');
      const { done, value } = await reader.read();
      isFirst = false;
      watch.rest();
      if (done) {
        watch.end();
        controller.close();
        return;
      }
      count(value);
      controller.enqueue(value);
    } catch (thrown) {
      const reason = watch.reasonOf(thrown);
      watch.end();
      void reader.cancel(reason).catch(() => {});
      controller.error(reason);
    }
  }
  async function cancel(reason: unknown): Promise<void> {
    watch.end();
    await reader.cancel(reason).catch(() => {});
  }
  // Nothing is read ahead: the wait for bytes counts only while a reader waits.
  return new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 });
}

/**
 * A fetch that limits answers in bytes, line length and time, and that a signal cancels even while the body is read. It
 * follows no redirect, because a header with a key would be sent along. Failures are `ModelFault`, except those that
 * the caller's own signal gives.
 */
export function guardedFetch(guard: Guard): Fetch {
  return async (url, init = {}) => {
    const watch = new Watch(guard, init.signal ?? null);
    try {
      watch.signal.throwIfAborted();
      watch.wait(guard.limits.firstByteMs, 'the first byte of the answer');
      const response = await guard.ports.fetch(url, { ...init, redirect: 'manual', signal: watch.signal });
      const { status, statusText, headers } = response;
      if (response.body !== null)
        return new Response(guardedBody(response.body, guard, watch), { status, statusText, headers });
      watch.end();
      return response;
    } catch (thrown) {
      watch.end();
      throw watch.reasonOf(thrown);
    }
  };
}
