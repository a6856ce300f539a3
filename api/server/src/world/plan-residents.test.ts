import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planResidents, type PlacedResident, type WantedResident } from './plan-residents.ts';

const ada: WantedResident = {
  agentId: 'ada',
  uid: 'one',
  displayName: 'Ada',
  home: 'home-elm',
  tier: 1,
  awake: true,
  online: false,
};

const CASES: readonly {
  readonly name: string;
  readonly wanted: readonly WantedResident[];
  readonly placed: readonly PlacedResident[];
  readonly commands: readonly unknown[];
}[] = [
  { name: 'nobody', wanted: [], placed: [], commands: [] },
  { name: 'as wanted', wanted: [ada], placed: [ada], commands: [] },
  {
    name: 'a new agent',
    wanted: [ada],
    placed: [],
    commands: [
      { kind: 'spawn', agent_id: 'ada', display_name: 'Ada', tier: 1, awake: true, online: false, home: 'home-elm' },
    ],
  },
  {
    name: 'a new agent without a home',
    wanted: [{ ...ada, home: null }],
    placed: [],
    commands: [{ kind: 'spawn', agent_id: 'ada', display_name: 'Ada', tier: 1, awake: true, online: false }],
  },
  { name: 'an agent that is gone', wanted: [], placed: [ada], commands: [{ kind: 'despawn', agent_id: 'ada' }] },
  {
    name: 'another life of the same name',
    wanted: [{ ...ada, uid: 'two' }],
    placed: [ada],
    commands: [
      { kind: 'despawn', agent_id: 'ada' },
      { kind: 'spawn', agent_id: 'ada', display_name: 'Ada', tier: 1, awake: true, online: false, home: 'home-elm' },
    ],
  },
  { name: 'an agent of an unknown life', wanted: [ada], placed: [{ ...ada, uid: null }], commands: [] },
  {
    name: 'an agent that is asleep, connected and promoted',
    wanted: [{ ...ada, awake: false, online: true, tier: 2 }],
    placed: [ada],
    commands: [{ kind: 'state', agent_id: 'ada', awake: false, online: true, tier: 2 }],
  },
  { name: 'an agent whose home the world chose', wanted: [{ ...ada, home: null }], placed: [ada], commands: [] },
];

for (const { name, wanted, placed, commands } of CASES)
  test(`residents: ${name}`, () => assert.deepEqual(planResidents(wanted, placed), commands));
