import assert from 'node:assert/strict';
import { canonicalJson } from '../json/canonical-json.ts';
import { RANGE, type Block, type Sequence } from './random-blocks.ts';

/** Tool of the stages: a number that depends on the whole value. */
export function numberOf(value: unknown): Readonly<{ n: number }> {
  let hash = 0x811c9dc5;
  for (const char of canonicalJson(value)) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return { n: hash % RANGE };
}

/** True if the tool `brittle` fails for the value. */
export const breaks = (value: unknown): boolean => numberOf(value).n % 2 === 1;

export type Expected = Readonly<{ output: unknown; done: readonly string[] }>;

/** The output of a random workflow and its stages that are done, in alphabetical order, as composition defines them. */
export function expectedOutcome(sequence: Sequence, input: unknown): Expected {
  const done = new Set<string>();
  const output = sequenceValue(sequence, input, done);
  return { output, done: [...done].toSorted() };
}

const sequenceValue = (sequence: Sequence, input: unknown, done: Set<string>): unknown =>
  sequence.reduce<unknown>((value, block) => blockValue(block, value, done), input);

function blockValue(block: Block, input: unknown, done: Set<string>): unknown {
  switch (block.kind) {
    case 'tool':
      done.add(block.id);
      return numberOf(input);
    case 'linear':
      done.add(block.id);
      return block.wraps ? { kept: input } : input;
    case 'fan':
      return fanValue(block, input, done);
    case 'choice':
      return choiceValue(block, input, done);
    default:
      return guardedValue(block, input, done);
  }
}

/** The id of the last stage of a branch, by which `by_source` names its value. */
function exitOf(sequence: Sequence): string {
  const last = sequence.at(-1) ?? sequence[0];
  if (last.kind === 'fan') return `${last.id}-all`;
  return last.kind === 'choice' || last.kind === 'guarded' ? `${last.id}-joined` : last.id;
}

function fanValue(
  { id, policy, branches }: Extract<Block, { kind: 'fan' }>,
  input: unknown,
  done: Set<string>,
): unknown {
  done.add(id).add(`${id}-all`);
  const values = branches.map((branch) => sequenceValue(branch, input, done));
  if (policy === 'list') return values;
  if (policy === 'reduce') return { count: values.length, first: values[0] };
  return Object.fromEntries(branches.map((branch, index) => [exitOf(branch), values[index]]));
}

function choiceValue(block: Extract<Block, { kind: 'choice' }>, input: unknown, done: Set<string>): unknown {
  const { id, decidesItself, limits, join, branches } = block;
  done.add(id).add(`${id}-joined`);
  if (!decidesItself) done.add(`${id}-decided`);
  const number = numberOf(input);
  const found = limits.findIndex((limit) => number.n < limit);
  const branch = branches.at(found) ?? assert.fail('no branch');
  const value = sequenceValue(branch, number, done);
  return join === 'merge' ? [value] : value;
}

function guardedValue(
  { id, edge, alternative }: Extract<Block, { kind: 'guarded' }>,
  input: unknown,
  done: Set<string>,
): unknown {
  done.add(`${id}-joined`);
  if (!breaks(input)) {
    done.add(id);
    return numberOf(input);
  }
  done.add(`${id}-other`);
  return sequenceValue(alternative, numberOf(edge === 'error' ? 'failed' : { given: input }), done);
}
