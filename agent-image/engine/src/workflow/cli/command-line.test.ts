import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMMAND_NAMES, readCommandLine, type Flags } from './command-line.ts';

function flagsOf(...args: readonly string[]): Flags {
  const line = readCommandLine(args);
  assert.ok(line.kind === 'command', JSON.stringify(line));
  return line.flags;
}

test('each command has its arguments, and only its own flags', () => {
  const line = readCommandLine([
    'resume',
    'flows',
    'task-1',
    '--answer',
    'q1=repeat',
    '--answer=q2=deny',
    '--data',
    'kept',
  ]);
  assert.ok(line.kind === 'command');
  assert.deepEqual([line.name, line.dir, line.task, line.flags.data], ['resume', 'flows', 'task-1', 'kept']);
  assert.deepEqual(line.flags.answers, ['q1=repeat', 'q2=deny']);
  const flags = flagsOf(
    'run',
    'flows',
    '--tag',
    'a',
    '--tag=b',
    '--override',
    'dry_run',
    '--input',
    '{"n":1}',
    '--json',
  );
  assert.deepEqual([flags.tags, flags.overrides, flags.input, flags.json], [['a', 'b'], ['dry_run'], '{"n":1}', true]);
  assert.equal(flagsOf('graph', 'flows', '-o', 'a.svg').output, 'a.svg');
});

const WRONG: readonly (readonly [string, readonly string[], RegExp])[] = [
  ['an unknown command', ['start', 'flows'], /no command start: use validate, graph, run/],
  ['no folder', ['validate'], /usage: hamlet-engine validate DIR/],
  ['no task', ['inspect', 'flows'], /usage: hamlet-engine inspect DIR TASK/],
  ['too many words', ['run', 'flows', 'more'], /usage: hamlet-engine run DIR/],
  [
    'a flag of another command',
    ['validate', 'flows', '--tag', 'a'],
    /^Unknown option '--tag'\nsee hamlet-engine validate --help/,
  ],
  ['a flag without its value', ['run', 'flows', '--mode'], /--mode[\s\S]*hamlet-engine run --help/],
];
for (const [title, args, words] of WRONG)
  test(`${title} is refused with the way to mend it`, () => {
    const line = readCommandLine(args);
    assert.ok(line.kind === 'wrong');
    assert.match(line.message, words);
  });

test('help lists every command, and the flags and exit codes of each', () => {
  const general = readCommandLine([]);
  assert.deepEqual(readCommandLine(['help']), general);
  assert.ok(general.kind === 'help');
  assert.match(general.text, /^hamlet-engine: /);
  for (const name of COMMAND_NAMES) {
    assert.match(general.text, new RegExp(`^  ${name} DIR`, 'm'));
    const line = readCommandLine([name, '--help']);
    assert.ok(
      line.kind === 'help' && line.text.includes(`usage: hamlet-engine ${name} DIR`) && line.text.includes('Exits 0'),
    );
    assert.ok(line.text.split('\n').every((each) => each.length <= 120));
  }
});
