import { defineRoute } from '../route.ts';
import { MapResponse } from '../world/map.ts';
import { WorldView } from '../world/view.ts';

export const getWorld = defineRoute({
  name: 'getWorld',
  summary: 'The whole village now: size, time, landmarks, zones, agents and items',
  tag: 'world',
  method: 'GET',
  path: '/world',
  placement: 'versioned_and_bare',
  audiences: ['people', 'agents'],
  permission: 'world:read',
  idempotency: 'read',
  answer: { kind: 'json', schema: WorldView },
  reasons: [],
});

export const getWorldMap = defineRoute({
  name: 'getWorldMap',
  summary: 'The terrain of the map, one byte per tile',
  tag: 'world',
  method: 'GET',
  path: '/world/map',
  placement: 'versioned_and_bare',
  audiences: ['people', 'agents'],
  permission: 'world:read',
  idempotency: 'read',
  answer: { kind: 'json', schema: MapResponse },
  reasons: [],
});
