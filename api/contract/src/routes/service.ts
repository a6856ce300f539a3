import { z } from 'zod';
import { defineRoute } from '../route.ts';

const ofService = {
  tag: 'service',
  method: 'GET',
  audiences: ['people', 'agents'],
  permission: 'anyone',
  idempotency: 'read',
} as const;

export const getLivez = defineRoute({
  ...ofService,
  name: 'getLivez',
  summary: 'The process answers',
  path: '/livez',
  placement: 'absolute',
  answer: { kind: 'text', contentType: 'text/plain' },
  reasons: [],
});

export const getReadyz = defineRoute({
  ...ofService,
  name: 'getReadyz',
  summary: 'Requests can be served; `?verbose` says of what that is made',
  path: '/readyz',
  placement: 'absolute',
  query: z.object({ verbose: z.string().optional() }),
  answer: { kind: 'text', contentType: 'text/plain' },
  reasons: [],
});

export const getOpenApi = defineRoute({
  ...ofService,
  name: 'getOpenApi',
  summary: 'This contract as OpenAPI 3.1',
  path: '/openapi.json',
  placement: 'versioned',
  answer: { kind: 'json', schema: z.record(z.string(), z.unknown()) },
  reasons: [],
});

export const getDocs = defineRoute({
  ...ofService,
  name: 'getDocs',
  summary: 'This contract as a page to read',
  path: '/docs',
  placement: 'versioned',
  answer: { kind: 'text', contentType: 'text/html' },
  reasons: [],
});
