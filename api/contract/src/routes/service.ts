import { z } from 'zod';
import { defineRoute, json } from '../http/route.ts';

const ofService = { tag: 'service', permission: 'anyone' } as const;

export const getLivez = defineRoute('getLivez GET /livez', {
  ...ofService,
  summary: 'Answers while the process runs',
  placement: 'absolute',
  answer: { kind: 'text', contentType: 'text/plain' },
});

export const getReadyz = defineRoute('getReadyz GET /readyz', {
  ...ofService,
  summary: 'Answers 200 while requests can be served; `?verbose` lists the parts',
  placement: 'absolute',
  query: z.object({ verbose: z.string().optional() }),
  answer: { kind: 'text', contentType: 'text/plain' },
});

export const getOpenApi = defineRoute('getOpenApi GET /openapi.json', {
  ...ofService,
  summary: 'This contract as OpenAPI 3.1',
  placement: 'versioned',
  answer: json(z.record(z.string(), z.unknown())),
});

export const getDocs = defineRoute('getDocs GET /docs', {
  ...ofService,
  summary: 'This contract as a web page',
  placement: 'versioned',
  answer: { kind: 'text', contentType: 'text/html' },
});
