import { afterEach, beforeEach, describe } from 'node:test';
import { answerLimits } from './answer-limits.ts';
import { answers, streams } from './answers.ts';
import { Bench, type AdapterSubject } from './bench.ts';
import { connections } from './connections.ts';
import { extraFields } from './extra-fields.ts';
import { failures } from './failures.ts';
import { framing } from './framing.ts';
import { thoughts } from './thoughts.ts';
import { toolCalls } from './tool-calls.ts';

/** The conformance suite, which every adapter passes against a server with its provider's wire format. */
export function conformAdapter(subject: AdapterSubject): void {
  describe(subject.name, { timeout: 60_000 }, () => {
    const bench = new Bench(subject);
    beforeEach(() => bench.open());
    afterEach(() => bench.server.close());
    answers(bench);
    streams(bench);
    framing(bench);
    thoughts(bench);
    extraFields(bench);
    toolCalls(bench);
    failures(bench);
    connections(bench);
    answerLimits(bench);
  });
}
