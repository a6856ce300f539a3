import { ModelFault } from '../chat/model-error.ts';
import type { AnswerLimits } from './answer-limits.ts';
import { connectionFault } from './connection-fault.ts';
import { FollowingAbort } from './following-abort.ts';
import type { ModelPorts } from './model-ports.ts';
import type { Fetch } from './server-answer.ts';

const LINE_FEED = 10;

interface Guard {
  readonly ports: Pick<ModelPorts, 'fetch' | 'after'>;
  readonly limits: AnswerLimits;
  /** True if the body is read by lines, each of which has a limit. */
  readonly byLines: boolean;
}

/** The timers and the signal of one exchange. Mutable: each read restarts a timer. */
class Watch {
  readonly #abort: FollowingAbort;
  readonly #after: ModelPorts['after'];
  readonly #stopTotal: () => void;
  #stopWait: () => void = () => {};

  constructor({ ports, limits: { totalMs } }: Guard, caller: AbortSignal) {
    this.#after = ports.after;
    this.#abort = new FollowingAbort([caller]);
    this.#stopTotal = this.#after(totalMs, () => this.#fail(`the answer was not complete after ${totalMs} ms`));
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  #fail(message: string): void {
    this.#abort.abort(new ModelFault('network', message));
  }

  /** Limits the wait for the next bytes. */
  wait(ms: number, what: string): void {
    this.rest();
    this.#stopWait = this.#after(ms, () => this.#fail(`${what} did not arrive within ${ms} ms`));
  }

  rest(): void {
    this.#stopWait();
  }

  end(): void {
    this.rest();
    this.#stopTotal();
    this.#abort.leave();
  }

  /** The cause of a failure: a timeout or cancel if one aborted the request, else the connection's error. */
  reasonOf(thrown: unknown): unknown {
    if (this.signal.aborted) return this.signal.reason;
    if (thrown instanceof ModelFault) return thrown;
    return connectionFault(thrown);
  }
}

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

/** The bytes of an answer, with limits on size and waiting time. Reads nothing ahead, so the timer runs only while a reader waits. */
async function* guardedBody(body: AsyncIterable<Uint8Array>, guard: Guard, watch: Watch): AsyncGenerator<Uint8Array> {
  const count = byteCounter(guard);
  try {
    for await (const bytes of body) {
      watch.rest();
      count(bytes);
      yield bytes;
      watch.signal.throwIfAborted();
      watch.wait(guard.limits.idleMs, 'the next bytes of the answer');
    }
  } catch (thrown) {
    throw watch.reasonOf(thrown);
  } finally {
    watch.end();
  }
}

/**
 * A fetch that limits the bytes, line length and time of answers, and that a signal can cancel even during the body. It does not follow
 * redirects, which would leak a key in a header. Failures are `ModelFault`, except an abort by the caller's own signal.
 */
export function guardedFetch(guard: Guard): Fetch {
  return async (url, request) => {
    const watch = new Watch(guard, request.signal);
    try {
      watch.signal.throwIfAborted();
      watch.wait(guard.limits.firstByteMs, 'the first byte of the answer');
      const { ok, status, headers, body } = await guard.ports.fetch(url, { ...request, signal: watch.signal });
      if (body === null) watch.end();
      return { ok, status, headers, body: body === null ? null : guardedBody(body, guard, watch) };
    } catch (thrown) {
      watch.end();
      throw watch.reasonOf(thrown);
    }
  };
}
