import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import {
  HANDS_TOOLS,
  isVillageTool,
  placeOf,
  VILLAGE_TOOL_NAMES,
  VILLAGE_TOOLS,
  villageTool,
} from './village-tools.ts';

test('the JSON schema of every tool is an object, with a limit for every text', () => {
  for (const name of VILLAGE_TOOL_NAMES) {
    const schema = z.toJSONSchema(VILLAGE_TOOLS[name].input, { io: 'input', unrepresentable: 'any' });
    assert.equal(schema.type, 'object', name);
    assert.equal(schema.additionalProperties, false, name);
    assert.match(name, /^[a-z][a-z_]{1,62}$/);
  }
});

test('tools with outside effects run in the API and can be retried with their call id', () => {
  for (const name of VILLAGE_TOOL_NAMES) {
    const { class: kind, effect, runs } = VILLAGE_TOOLS[name];
    if (Object.hasOwn(HANDS_TOOLS, name)) assert.equal(runs, 'hands', name);
    else assert.equal(runs, kind === 'read' ? 'pod' : 'village', name);
    if (placeOf(villageTool(name)) === 'custom') assert.equal(runs, 'hands', `${name} runs code of an agent`);
    if (runs === 'village') assert.equal(effect, 'keyed', name);
    if (villageTool(name)?.brings === 'outside') assert.notEqual(runs, 'pod', `the API sees each start of ${name}`);
  }
});

test('only names in the table of tools are tools', () => {
  assert.ok(isVillageTool('say'));
  for (const name of ['toString', '__proto__', 'constructor', 'SAY', ''])
    assert.equal(villageTool(name), undefined, name);
});

test('go_to takes either a place or both coordinates of a tile', () => {
  const { input } = VILLAGE_TOOLS.go_to;
  const valid = (value: unknown): boolean => input.safeParse(value).success;
  assert.ok(valid({ landmark_id: 'cafe' }) && valid({ x: 1, y: 2 }));
  for (const value of [{}, { x: 1 }, { landmark_id: 'cafe', x: 1, y: 2 }])
    assert.ok(!valid(value), JSON.stringify(value));
});

test('propose_schedule takes one timing, and a time zone only for clock times', () => {
  const { input } = VILLAGE_TOOLS.propose_schedule;
  const words = { prompt: 'Water the garden.', reason: 'It is dry.' };
  const valid = (value: object): boolean => input.safeParse({ ...words, ...value }).success;
  const zone = { time_zone: 'Europe/Zurich' };
  assert.ok(
    valid({ every: '6h' }) && valid({ cron: '0 9 * * MON-FRI', ...zone }) && valid({ daily_at: '09:30', ...zone }),
  );
  const wrong = [
    {},
    { every: '6h', daily_at: '09:30', ...zone },
    { every: '6h', ...zone },
    { daily_at: '09:30' },
    { cron: '0 9 * *', ...zone },
    { daily_at: '9:30', ...zone },
    { daily_at: '09:30', time_zone: 'Europe/Nowhere' },
    { every: '0s' },
    { every: '6h', name: 'Not A Name' },
    { every: '6h', agent_name: 'bob' },
    { every: '6h', reason: '' },
  ];
  for (const value of wrong) assert.ok(!valid(value), JSON.stringify(value));
});
