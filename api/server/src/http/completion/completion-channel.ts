import type { RouteSpec } from '@hamlet/contract';
import type { Response } from 'express';
import { showLimits } from '../admission/show-limits.ts';
import type { ShownLimit } from '../admission/show-limits.ts';
import type { Refused } from '../outcome.ts';
import { problemOf } from '../respond.ts';
import { openAiErrorOf } from './openai-error.ts';

/** A reader that lets this much pile up is not reading: it is dropped. */
const BACKLOG_MAX_BYTES = 1 << 20;

/** How the handler of a completion reaches its caller, besides by what it answers. */
export interface CompletionChannel {
  /** Aborts when the caller has gone. */
  readonly gone: AbortSignal;
  /** Begins to answer in pieces. From here on a failure can only be told by `end`. */
  begin(limits: readonly ShownLimit[]): void;
  send(chunk: unknown): void;
  /** Ends the pieces: with `[DONE]`, or with the error and without it. */
  end(refusal?: Refused): void;
}

export interface ChannelPorts {
  readonly requestId: string;
  /** Hears of a chunk outside its schema; throws where that must not be. */
  readonly onBadChunk: (issues: unknown) => void;
}

/** A channel over a response that nothing has been written to. */
export function openCompletionChannel(route: RouteSpec, response: Response, ports: ChannelPorts): CompletionChannel {
  const leaving = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) leaving.abort(new Error('the caller has gone'));
  });

  function write(data: string): void {
    response.write(`data: ${data}\n\n`);
    if (response.writableLength > BACKLOG_MAX_BYTES) response.destroy();
  }

  return {
    gone: leaving.signal,
    begin: (limits) => {
      showLimits(response, limits);
      response
        .status(200)
        .set({ 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
      response.flushHeaders();
    },
    send: (chunk) => {
      const checked = route.answer.kind === 'completion' ? route.answer.chunk.safeParse(chunk) : undefined;
      if (checked?.success === false) ports.onBadChunk(checked.error.issues);
      write(JSON.stringify(chunk));
    },
    end: (refusal) => {
      write(
        refusal === undefined
          ? '[DONE]'
          : JSON.stringify({ error: openAiErrorOf(problemOf(refusal, ports.requestId)) }),
      );
      response.end();
    },
  };
}
