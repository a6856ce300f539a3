import { deepEqual, equal, match } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';

const folder = testFolder('recall-test');

function recall(...args: readonly string[]): {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
} {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args], {
    encoding: 'utf8',
  });
  return { status, out: stdout, err: stderr };
}

function file(name: string, ...lines: readonly object[]): string {
  const path = join(folder, name);
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join('\n'));
  return path;
}

const turn = (number: number, text: string): object => {
  return { session: '1', turn: number, speaker: 'Mira', text, at: '2025-03-02' };
};

test('hamlet-recall scores two conversations, each in a memory of its own', () => {
  const lena = file(
    'lena.jsonl',
    turn(1, 'my sister Lena moved to Porto'),
    turn(2, 'the printer ate my report again'),
    { question: 'Where has Lena moved to?', evidence: ['1:1'], kind: 'single' },
  );
  const marek = file('marek.jsonl', turn(1, 'Marek is allergic to hazelnuts'), {
    question: 'What is Marek allergic to?',
    evidence: [1],
    kind: 'single',
  });
  const { status, out, err } = recall('--json', lena, marek);
  equal(status, 0, err);
  const { turns, questions, recall: found, kinds } = JSON.parse(out) as Record<string, never>;
  deepEqual({ turns, questions, found }, { turns: 3, questions: 2, found: { 5: 1, 10: 1, 20: 1 } });
  deepEqual(Object.keys(kinds ?? {}), ['single']);
});

test('hamlet-recall lists wrong lines and ends with 2', () => {
  const wrong = file('wrong.jsonl', turn(1, 'Lena moved'), { question: 'Where?', evidence: ['1:7'] });
  const { status, out, err } = recall(wrong);
  deepEqual([status, out], [2, '']);
  match(err, /^.*wrong\.jsonl: line 2: evidence 1:7 is not a turn of the file$/m);
});
