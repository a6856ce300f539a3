import assert from 'node:assert/strict';
import { run } from './queue.mjs';

const after = (ms, value) => () => new Promise((resolve) => setTimeout(() => resolve(value), ms));
assert.deepEqual(await run([after(20, 'a'), after(5, 'b'), after(1, 'c')], 2), ['a', 'b', 'c']);
console.log('ok');
