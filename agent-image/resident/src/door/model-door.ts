import { once } from 'node:events';
import { createServer, request as overHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as overHttps } from 'node:https';
import { pipeline } from 'node:stream';
import { RUN_OF_REQUEST_HEADER } from '@hamlet/contract/resident';
import type { TokenSource } from '../village/agent-token.ts';
import { DOOR_HOST, type KeyHolder, type ModelKeys } from './model-keys.ts';

/** Maximum open connections of all programs of the pod. */
const MAX_CONNECTIONS = 64;
const MAX_HEADER_BYTES = 32_768;
const POSTS: ReadonlySet<string> = new Set([
  '/v1/chat/completions',
  '/v1/messages',
  '/v1/messages/count_tokens',
  '/v1/responses',
  '/v1/embeddings',
]);
const GETS = /^\/v1\/models(\/[^/]{1,200})?$/;
/** The headers of a program that reach the API; the door writes all others itself. */
const TAKEN = ['accept', 'anthropic-beta', 'anthropic-version', 'content-length', 'content-type', 'transfer-encoding'];
/** The headers of the API's answer that belong to this connection alone. */
const OF_ONE_HOP: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding']);

export interface ModelDoorConfig {
  readonly api: string;
  readonly tokens: TokenSource;
  readonly keys: Pick<ModelKeys, 'holderOf'>;
}

export interface ModelDoor {
  readonly port: number;
  close(): void;
}

/**
 * Opens the listener at which programs use the village's models with the key of their run. It passes requests for models on to
 * the API with the agent's token and the run, and refuses all others: a program reaches no other route with its key.
 */
export async function openModelDoor(config: ModelDoorConfig): Promise<ModelDoor> {
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 0 }, (request, response) => {
    serve(config, request, response).catch(() => refuse(response, UNREACHABLE));
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(0, DOOR_HOST);
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface DoorRefusal {
  readonly status: number;
  /** Anthropic's name of the class of the error; OpenAI's clients read the code. */
  readonly type: string;
  readonly code: string;
  readonly message: string;
}

const WRONG_KEY: DoorRefusal = {
  status: 401,
  type: 'authentication_error',
  code: 'invalid_api_key',
  message:
    'This key does not belong to a run in progress in this pod. A run gives its programs a key in OPENAI_API_KEY and ANTHROPIC_AUTH_TOKEN, which ends with the run.',
};
const WRONG_ROUTE: DoorRefusal = {
  status: 404,
  type: 'not_found_error',
  code: 'not_found',
  message:
    'Programs can use /v1/chat/completions, /v1/responses, /v1/messages, /v1/messages/count_tokens, /v1/embeddings and /v1/models here.',
};
const UNREACHABLE: DoorRefusal = {
  status: 503,
  type: 'overloaded_error',
  code: 'unreachable',
  message: 'The village does not answer. Try again.',
};

/** Answers in a form that clients of OpenAI and of Anthropic both read. */
function refuse(response: ServerResponse, { status, ...error }: DoorRefusal): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ type: 'error', error }));
}

/** The address of a request at the API; null if the door does not lead there. */
function targetOf({ method, url = '' }: IncomingMessage, api: string): URL | null {
  const at = url.includes('?') ? url.indexOf('?') : url.length;
  const to = new URL(api);
  // Sets only the parts: a path with another host, or with `..`, stays within the API, and is compared as it is sent.
  to.pathname = url.slice(0, at);
  to.search = url.slice(at);
  const isRoute = method === 'POST' ? POSTS.has(to.pathname) : method === 'GET' && GETS.test(to.pathname);
  return isRoute ? to : null;
}

/** The holder of the first valid key: some clients send one of another provider in the other header. */
function holderIn({ headers }: IncomingMessage, keys: ModelDoorConfig['keys']): KeyHolder | null {
  const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  return keys.holderOf(bearer) ?? keys.holderOf(String(headers['x-api-key'] ?? ''));
}

async function serve(config: ModelDoorConfig, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const holder = holderIn(request, config.keys);
  if (holder === null) return refuse(response, WRONG_KEY);
  const to = targetOf(request, config.api);
  if (to === null) return refuse(response, WRONG_ROUTE);
  const token = await config.tokens.get();
  const upstream = (to.protocol === 'https:' ? overHttps : overHttp)(to, {
    method: request.method ?? 'GET',
    headers: { ...takenFrom(request), authorization: `Bearer ${token}`, [RUN_OF_REQUEST_HEADER]: runOf(holder) },
  });
  upstream.on('response', (answer) => passOn(config, answer, response));
  upstream.on('error', () => refuse(response, UNREACHABLE));
  response.once('close', () => upstream.destroy());
  pipeline(request, upstream, () => undefined);
}

const runOf = ({ run, lease }: KeyHolder): string => `${run}/${String(lease)}`;

const takenFrom = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(TAKEN.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])));

/** The program's next attempt uses a new token, if the API no longer takes this one. */
function passOn({ tokens }: ModelDoorConfig, answer: IncomingMessage, response: ServerResponse): void {
  if (answer.statusCode === 401) {
    tokens.renew();
    answer.resume();
    return refuse(response, UNREACHABLE);
  }
  const headers = Object.entries(answer.headers).filter(([name]) => !OF_ONE_HOP.has(name));
  response.writeHead(answer.statusCode ?? 502, Object.fromEntries(headers));
  response.flushHeaders();
  pipeline(answer, response, () => undefined);
}
