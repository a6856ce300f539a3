import { z } from 'zod';
import { ObjectName } from '../kinds/text.ts';
import { defineRoute } from '../route.ts';
import { AROUND_DEFAULT_TILES, AROUND_MAX_TILES } from '../world/constants.ts';
import { MapResponse } from '../world/map.ts';
import { WorldView } from '../world/view.ts';

/**
 * Narrows `GET /world` to what is around one agent. Other parameters are ignored, as the whole village always ignored them.
 * The answer has the same form: `agents` and `items` hold only what is near, nearest first.
 */
export const WorldQuery = z.object({
  around: ObjectName.optional().meta({
    description:
      'An agent: only what is near it is answered, itself first. Nothing is near an agent that is not in the world',
  }),
  radius: z.coerce
    .number()
    .int()
    .min(1)
    .max(AROUND_MAX_TILES)
    .default(AROUND_DEFAULT_TILES)
    .meta({ description: 'How far, in tiles; used with around' }),
  with: z
    .string()
    .min(1)
    .max(63)
    .optional()
    .meta({ description: 'Another agent that is answered wherever it is; used with around' }),
});
export type WorldQuery = z.infer<typeof WorldQuery>;

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
  query: WorldQuery,
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
