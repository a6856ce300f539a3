import assert from 'node:assert/strict';
import { test } from 'node:test';
import { helpText, readCommandLine } from './command-line.ts';
import { logs } from './commands/logs.ts';
import { plan } from './commands/plan.ts';
import { sleep } from './commands/power.ts';
import { why } from './commands/why.ts';
import { workflow } from './commands/workflow/workflow.ts';
import { Failure } from './command.ts';
import { plainError } from './kubectl.ts';
import { age, table } from './table.ts';

const COMMANDS = [why, sleep, logs, plan, ...workflow];
const read = (line: string): ReturnType<typeof readCommandLine> =>
  readCommandLine(
    line.split(' ').filter((word) => word !== ''),
    COMMANDS,
  );

test('flags for cluster and namespace are passed to kubectl from any position', () => {
  for (const line of ['why ada -n village --context=c -o json', '-n village --context c why -o json ada']) {
    const { command, names, place, json } = read(line);
    assert.deepEqual(
      [command?.name, names, place, json],
      ['why', ['ada'], ['--namespace=village', '--context=c'], true],
    );
  }
});

test('-f has the meaning that kubectl users expect: a file for plan, follow for logs', () => {
  assert.deepEqual(read('plan -f file.yaml').flags, { filename: 'file.yaml' });
  assert.deepEqual(read('logs ada -f --tail 5').flags, {
    follow: true,
    tail: '5',
    previous: undefined,
    since: undefined,
  });
});

test('a wrong command line fails with the right usage and exit code 2', () => {
  for (const [line, words] of [
    ['what ada', /unknown command what: the commands are why, sleep, logs, plan, workflow validate/],
    ['sleep', /usage: kubectl hamlet sleep NAME\.\.\./],
    ['why ada bob', /usage: kubectl hamlet why \[NAME\]/],
    ['why ada -o yaml', /json is the only format/],
    ['why ada --loud', /--loud/],
    ['workflow draw DIR', /unknown command workflow draw: the commands are workflow validate, workflow graph/],
    ['workflow validate', /usage: kubectl hamlet workflow validate DIR/],
  ] as const) {
    assert.throws(
      () => read(line),
      (error: unknown) => error instanceof Failure && error.exitCode === 2 && words.test(error.message),
    );
  }
});

test('a group has verbs, with flags before and after them, and its help lists only them', () => {
  const { command, names, place } = read('-n village workflow -n other graph review -o a.svg');
  assert.deepEqual([command?.name, names, place], ['workflow graph', ['review'], ['--namespace=other']]);
  for (const line of ['workflow', 'workflow --help']) {
    const { command: none, listed } = read(line);
    const help = helpText(none, listed);
    assert.match(help, /\n {2}workflow validate +checks the manifests/);
    assert.doesNotMatch(help, /why/);
  }
});

test('help works for each command without a name, and for all commands together', () => {
  assert.equal(read('sleep --help').help, true);
  for (const line of ['help', 'help sleep', '-n village help sleep']) {
    const { command, help, names } = read(line);
    assert.deepEqual([command?.name, help, names], [line === 'help' ? undefined : 'sleep', true, []], line);
  }
  for (const command of COMMANDS)
    assert.match(helpText(command, COMMANDS), new RegExp(`Usage: kubectl hamlet ${command.name} `));
  assert.match(helpText(undefined, COMMANDS), / {2}why +explains why an agent does not run/);
});

test('ages and tables look like those of kubectl', () => {
  const now = Date.parse('2026-11-22T10:00:00Z');
  assert.deepEqual(
    ['2026-11-22T09:59:55Z', '2026-11-22T08:00:00Z', '2026-11-20T08:00:00Z', '2026-11-22T10:01:30Z', undefined].map(
      (time) => age(time, now),
    ),
    ['5s', '2h', '2d', 'in 1m', '-'],
  );
  assert.equal(
    table(
      ['A', 'LONG'],
      [
        ['wide', 'x'],
        ['y', ''],
      ],
    ),
    'A      LONG\nwide   x\ny',
  );
});

test("an error of the API server is printed without kubectl's prefix", () => {
  assert.equal(plainError('Error from server (Invalid): Agent "a" is invalid\n'), 'Agent "a" is invalid');
  assert.equal(plainError('error: no context exists'), 'no context exists');
  assert.equal(
    plainError(
      'The Agent "bad" is invalid: \n* spec.power: Unsupported value\n* <nil>: Invalid value: null: some validation rules were not checked because\n',
    ),
    'spec.power: Unsupported value',
  );
});
