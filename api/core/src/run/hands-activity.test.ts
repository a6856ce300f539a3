import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  activityOfCall,
  activityOfCommand,
  changedActivities,
  handsActivities,
  type OpenCall,
} from './hands-activity.ts';

const call = (changes: Partial<OpenCall> = {}): OpenCall => ({
  agentId: 'ada',
  tool: 'shell',
  toolClass: 'exec',
  command: null,
  ...changes,
});

test('the activity of a command follows from its programs: building before browsing before typing before reading', () => {
  const table = {
    'pytest -q': 'building',
    'cd /workspace/bakery && CI=1 npm test 2>&1 | tail -40': 'building',
    'sudo apt-get install -y jq': 'building',
    'timeout 60 /usr/bin/make -j2': 'building',
    'curl -s https://example.org | jq .name': 'browsing',
    'cat a.txt; ls -l | head': 'reading',
    'rg --files | wc -l': 'reading',
    'echo make > list.txt': 'typing',
    'git commit -m "pytest"': 'typing',
    'sed -i s/a/b/ x && cat x': 'typing',
    'cd /tmp': 'typing',
    '': 'typing',
    constructor: 'typing',
  };
  for (const [command, activity] of Object.entries(table)) assert.equal(activityOfCommand(command), activity, command);
  assert.equal(
    activityOfCommand(`true ${'x'.repeat(100_000)}; make`),
    'typing',
    'only the beginning of a command counts',
  );
});

test('the class of any other tool decides its activity; a browser is browsing, even as an MCP server', () => {
  const of = (tool: string, toolClass: OpenCall['toolClass']) => activityOfCall(call({ tool, toolClass }));
  assert.equal(of('read_file', 'read'), 'reading');
  assert.equal(of('write_file', 'write_inside'), 'typing');
  assert.equal(of('stop_process', 'exec'), 'working');
  assert.equal(of('browser_open', 'network'), 'browsing');
  assert.equal(of('mcp__playwright__browser_click', null), 'browsing');
  assert.equal(of('mcp__tracker__close_issue', null), 'working');
  assert.equal(of('mcp__files__read', 'read'), 'reading');
});

test('the newest open call decides; an agent without one is waiting or has no activity', () => {
  const calls = [call({ command: 'make' }), call({ command: 'cat x' }), call({ agentId: 'bob', command: 'make' })];
  assert.deepEqual(
    [...handsActivities(calls, ['cleo', 'bob'])],
    [
      ['cleo', 'waiting'],
      ['bob', 'building'],
      ['ada', 'reading'],
    ],
  );
  assert.equal(handsActivities([], []).size, 0);
});

test('only changes are sent, and an ended activity is null', () => {
  const before = new Map([
    ['ada', 'typing'],
    ['bob', 'reading'],
    ['cleo', 'waiting'],
  ] as const);
  const now = new Map([
    ['ada', 'typing'],
    ['bob', 'building'],
    ['dora', 'waiting'],
  ] as const);
  assert.deepEqual(changedActivities(before, now), { bob: 'building', cleo: null, dora: 'waiting' });
  assert.deepEqual(changedActivities(now, now), {});
});
