import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { isVillageTool, VILLAGE_TOOL_NAMES, VILLAGE_TOOLS, villageTool } from './village-tools.ts';

test('every tool has a JSON schema of an object for the model, and a bound on every text', () => {
  for (const name of VILLAGE_TOOL_NAMES) {
    const schema = z.toJSONSchema(VILLAGE_TOOLS[name].input, { io: 'input', unrepresentable: 'any' });
    assert.equal(schema.type, 'object', name);
    assert.equal(schema.additionalProperties, false, name);
    assert.match(name, /^[a-z][a-z_]{1,62}$/);
  }
});

test('outward effects run in the API and repeat with their call id', () => {
  for (const name of VILLAGE_TOOL_NAMES) {
    const { class: kind, effect, runs } = VILLAGE_TOOLS[name];
    assert.equal(runs, kind === 'read' ? 'pod' : 'village', name);
    if (runs === 'village') assert.equal(effect, 'keyed', name);
  }
});

test('only names of the table are tools', () => {
  assert.ok(isVillageTool('say'));
  for (const name of ['toString', '__proto__', 'constructor', 'SAY', ''])
    assert.equal(villageTool(name), undefined, name);
});

test('go_to takes a place or a tile, not both and not half', () => {
  const { input } = VILLAGE_TOOLS.go_to;
  const valid = (value: unknown): boolean => input.safeParse(value).success;
  assert.ok(valid({ landmark_id: 'cafe' }) && valid({ x: 1, y: 2 }));
  for (const value of [{}, { x: 1 }, { landmark_id: 'cafe', x: 1, y: 2 }])
    assert.ok(!valid(value), JSON.stringify(value));
});
