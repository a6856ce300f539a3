import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnswerLimits } from '../../transport/answer-limits.ts';
import { SYSTEM_PORTS, type ModelPorts } from '../../transport/model-ports.ts';
import { assertFailed, PLAIN_REQUEST, TEXT, upTo, type Bench } from './bench.ts';
import type { WireAnswer, WireServer } from '../wire-server.ts';

/** The timer starts once the server has the request: on a busy machine a short limit would expire before that. */
function afterArrival({ requests }: WireServer): ModelPorts['after'] {
  const before = requests.length;
  return (ms, run) => {
    const ended = new AbortController();
    const wait = async (): Promise<void> => {
      while (requests.length === before && !ended.signal.aborted) await sleep(5);
      if (!ended.signal.aborted) ended.signal.addEventListener('abort', SYSTEM_PORTS.after(ms, run));
    };
    void wait();
    return () => ended.abort();
  };
}

export function answerLimits(bench: Bench): void {
  const { wire } = bench.subject;
  const drip = { drip: ' ', everyMs: 5 } as const;

  const slow: readonly (readonly [string, WireAnswer, Partial<AnswerLimits>])[] = [
    ['sends no first byte', { chunks: ['hold'] }, { firstByteMs: 60 }],
    ['stops in the middle', upTo(wire.stream(TEXT), 'The mill', ['hold']), { idleMs: 60 }],
    ['sends bytes endlessly', { chunks: [drip] }, { idleMs: 5_000, totalMs: 150 }],
  ];
  for (const [title, answer, few] of slow) {
    test(`a request to a provider that ${title} times out`, async () => {
      const options = { limits: few, ports: { after: afterArrival(bench.server) } };
      assert.equal(assertFailed(await bench.stream(PLAIN_REQUEST, answer, options)).error.code, 'network');
      await bench.server.requests.at(-1)?.gone;
    });
  }

  const long = { text: Array.from({ length: 200 }, () => 'a mill, and another mill, ') };
  test('an answer that exceeds the byte limit is refused while it arrives', async () => {
    const most = { answerBytes: 3_000 };
    assert.equal(
      assertFailed(await bench.stream(PLAIN_REQUEST, wire.stream(long), { limits: most })).error.code,
      'bad_answer',
    );
    assert.equal(
      assertFailed(await bench.chat(PLAIN_REQUEST, wire.plain(long), { limits: most })).error.code,
      'bad_answer',
    );
  });

  test('a line that exceeds the byte limit is refused before it is complete', async () => {
    const line: WireAnswer = { ...wire.stream(TEXT), chunks: [{ drip: 'data: '.padEnd(500, 'x'), everyMs: 1 }] };
    const failed = assertFailed(await bench.stream(PLAIN_REQUEST, line, { limits: { lineBytes: 4_000 } }));
    assert.equal(failed.error.code, 'bad_answer');
  });

  test('an answer that is not JSON, or JSON of another form, is a bad answer', async () => {
    for (const chunks of [['{"half": '], ['[1, 2]'], ['"text"']]) {
      const { code } = assertFailed(await bench.chat(PLAIN_REQUEST, { ...wire.plain(TEXT), chunks })).error;
      assert.ok(code === 'bad_answer' || code === 'network', code);
    }
  });
}
