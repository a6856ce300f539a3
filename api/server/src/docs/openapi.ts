import { PERMISSIONS, Problem, PROBLEM_CONTENT_TYPE, reasonsOf, REFUSALS, ROUTES, pathsOf } from '@hamlet/contract';
import type { Refusal, RouteSpec } from '@hamlet/contract';
import { z } from 'zod';

type Json = Record<string, unknown>;

export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { target: 'draft-2020-12', io, unrepresentable: 'any' });
  return json;
}

function header(
  name: string,
  description: string,
  about: { readonly required: boolean; readonly maxLength: number },
): Json {
  const { required, maxLength } = about;
  return { name, in: 'header', required, description, schema: { type: 'string', minLength: 1, maxLength } };
}

const IDEMPOTENCY_KEY = header(
  'Idempotency-Key',
  'An idempotency key that you choose for each operation and keep for its retries; for 24 hours, the same key and body give the same answer',
  { required: true, maxLength: 255 },
);
const IF_MATCH = header('If-Match', 'The etag of the version to change; 412 if the object has changed since', {
  required: false,
  maxLength: 128,
});

function parametersOf(route: RouteSpec): Json[] {
  const parameters: Json[] = [];
  for (const [part, location] of [
    ['params', 'path'],
    ['query', 'query'],
  ] as const) {
    const schema = route[part];
    if (schema === undefined) continue;
    const { properties = {}, required = [] } = jsonSchemaOf(schema, 'input') as {
      properties?: Record<string, Json>;
      required?: string[];
    };
    for (const [name, property] of Object.entries(properties)) {
      parameters.push({
        name,
        in: location,
        required: location === 'path' || required.includes(name),
        schema: property,
      });
    }
  }
  if (route.idempotency === 'key') parameters.push(IDEMPOTENCY_KEY);
  if (route.ifMatch === true) parameters.push(IF_MATCH);
  return parameters;
}

const JSON_TYPE = 'application/json';
const NO_BODY_STATUS = 202;

function contentOf(route: RouteSpec): Json {
  switch (route.answer.kind) {
    case 'json':
      return { 'application/json': { schema: jsonSchemaOf(route.answer.schema, 'output') } };
    case 'completion':
      return {
        'application/json': { schema: jsonSchemaOf(route.answer.schema, 'output') },
        'text/event-stream': { schema: jsonSchemaOf(route.answer.chunk, 'output') },
      };
    case 'redirect':
      return {};
    case 'bytes':
      return { [route.answer.contentType]: { schema: { type: 'string', format: 'binary' } } };
    case 'text':
      return {
        [route.answer.contentType]: { schema: route.answer.contentType === JSON_TYPE ? {} : { type: 'string' } },
      };
    case 'sse': {
      const events = Object.entries(route.answer.events).map(([event, schema]) => ({
        type: 'object',
        properties: { event: { const: event }, id: { type: 'string' }, data: jsonSchemaOf(schema, 'output') },
      }));
      return { 'text/event-stream': { schema: { oneOf: events } } };
    }
  }
}

export function reasonsByStatus(route: RouteSpec): ReadonlyMap<number, readonly Refusal[]> {
  const byStatus = new Map<number, Refusal[]>();
  for (const reason of new Set(reasonsOf(route))) {
    const { status } = REFUSALS[reason];
    byStatus.set(status, [...(byStatus.get(status) ?? []), reason]);
  }
  return new Map([...byStatus].toSorted(([a], [b]) => a - b));
}

function responsesOf(route: RouteSpec): Json {
  const done = route.answer.kind === 'redirect' ? '303' : String(route.status ?? 200);
  const responses: Json = { [done]: { description: 'Done', content: contentOf(route) } };
  for (const [status, reasons] of reasonsByStatus(route)) {
    responses[String(status)] = {
      description: reasons.map((reason) => `\`${reason}\`: ${REFUSALS[reason].title}`).join('\n\n'),
      content: { [PROBLEM_CONTENT_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } },
    };
  }
  for (const status of route.protocolStatuses ?? []) {
    const content = status === NO_BODY_STATUS ? {} : contentOf(route);
    const known = Object(responses[String(status)]) as Json;
    responses[String(status)] = {
      description: [known['description'] ?? [], 'An answer of the protocol'].flat().join('\n\n'),
      content: { ...content, ...Object(known['content']) },
    };
  }
  // Node answers 431 before the API finds a route.
  responses['431'] = { description: 'The address and the headers together are larger than 16 KiB' };
  return responses;
}

function operationOf(route: RouteSpec, operationId: string): Json {
  return {
    operationId,
    summary: route.summary,
    tags: [route.tag],
    security: (PERMISSIONS[route.permission] as readonly string[]).includes('visitor')
      ? [{}, { bearer: [] }, { session: [] }]
      : [{ bearer: [] }, { session: [] }],
    'x-permission': route.permission,
    'x-audiences': route.audiences,
    parameters: parametersOf(route),
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: jsonSchemaOf(route.body, 'input') } },
          },
        }),
    responses: responsesOf(route),
  };
}

function build(): Json {
  const paths: Record<string, Json> = {};
  for (const route of ROUTES) {
    for (const [index, path] of pathsOf(route).entries()) {
      const operation = operationOf(route, index === 0 ? route.name : `${route.name}Bare`);
      const plain = path.replace(/\*\}$/, '}');
      paths[plain] = { ...paths[plain], [route.method.toLowerCase()]: operation };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Hamlet',
      version: '1.0.0',
      description: 'A village of AI agents: the world, its agents, and what people do with them.',
    },
    paths,
    components: {
      schemas: { Problem: jsonSchemaOf(Problem, 'output') },
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: "An API key, an agent token, or the operator's projected token",
        },
        session: { type: 'apiKey', in: 'cookie', name: '__Host-hamlet_session' },
      },
    },
  };
}

let built: Json | undefined;

export function openApiDocument(): Json {
  built ??= build();
  return built;
}
