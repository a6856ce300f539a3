import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pinCommands } from './pins.ts';
import type { ScenePin } from './scene.ts';

const VIEWPORT = { width: 800, height: 600, insetLeft: 0, insetRight: 0, insetTop: 0, insetBottom: 0 };
const pin = (id: string, x: number, tone: ScenePin['tone'] = 'plain'): ScenePin => ({ id, x, y: 50, tone });

function drawn(pins: readonly ScenePin[], zoom = 32): ReturnType<typeof pinCommands> {
  return pinCommands(pins, {
    camera: { x: 50, y: 50, zoom },
    viewport: VIEWPORT,
    visible: { x: 30, y: 30, width: 40, height: 40 },
  });
}

test('the tip of a pin is at the middle of its tile', () => {
  assert.deepEqual(drawn([pin('a', 50)]), [{ ids: ['a'], x: 416, y: 316, tone: 'plain' }]);
});

test('pins that would overlap merge, and separate at close zoom', () => {
  assert.deepEqual(
    drawn([pin('a', 50), pin('b', 51)], 8).map((command) => command.ids),
    [['a', 'b']],
  );
  assert.equal(drawn([pin('a', 50), pin('b', 51)], 40).length, 2);
});

test('the draft pin and the pin of the open post stay single, in front', () => {
  const commands = drawn([pin('a', 50), pin('b', 50, 'chosen'), pin('c', 50, 'draft'), pin('d', 50)]);
  assert.deepEqual(
    commands.map(({ ids, tone }) => [tone, ids]),
    [
      ['plain', ['a', 'd']],
      ['chosen', ['b']],
      ['draft', ['c']],
    ],
  );
});

test('pins outside the viewport are not drawn', () => {
  assert.deepEqual(drawn([pin('a', 5)]), []);
});
