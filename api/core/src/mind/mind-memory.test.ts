import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryShortage, presetNamed } from './mind-memory.ts';

const tier = (name: string, rank: number, memory: string) => ({ name, rank, memory });
const FREE = tier('tier-0', 0, '256Mi');
const STUDIO = tier('studio', 1, '2Gi');
const HALL = tier('hall', 2, '4Gi');

test('a tier with too little memory for a program is named, with the lowest tier that has enough', () => {
  assert.equal(
    memoryShortage('opencode', FREE, [FREE, HALL, STUDIO]),
    'OpenCode needs about 1Gi of memory, and the tier tier-0 has 256Mi: name the tier studio, which has 2Gi, in spec.entitlement',
  );
  assert.match(
    memoryShortage('codex', tier('a', 0, '1023Mi'), [FREE]) ?? '',
    /: create an Entitlement with 1Gi of memory/,
  );
});

test('a tier with enough memory has no shortage', () => {
  for (const memory of ['1Gi', '1024Mi', '2G'])
    assert.equal(memoryShortage('codex', tier('a', 0, memory), [STUDIO]), null, memory);
});

test('only a known preset of the runtime acp is a preset', () => {
  const rows = [
    [{ name: 'acp', config: { preset: 'opencode' } }, 'opencode'],
    [{ name: 'acp', config: { preset: 'of-tomorrow' } }, null],
    [{ name: 'acp', config: { command: 'my-agent' } }, null],
    [{ name: 'engine', config: { preset: 'opencode' } }, null],
    [{}, null],
  ] as const;
  for (const [runtime, preset] of rows) assert.equal(presetNamed(runtime), preset);
});
