/** A model server under test, at an address that the API of the village reaches. */
import { once } from 'node:events';
import { createServer, request as plainRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ModelOffer } from '@hamlet/contract';
import { chooseModel } from '@hamlet/dev/model';
import { clusterStatus } from '../local/village/cluster.ts';
import { Failure } from '../local/village/failure.ts';

export interface ReachableModel {
  readonly server: { readonly kind: 'compatible' | 'completions'; readonly base_url: string; readonly key?: string };
  readonly offer: Omit<ModelOffer, 'name'> & { readonly model: string };
  close(): void;
}

function relay(target: URL, incoming: IncomingMessage, response: ServerResponse): void {
  const request = target.protocol === 'https:' ? tlsRequest : plainRequest;
  const options = { method: incoming.method, headers: { ...incoming.headers, host: target.host } };
  const outgoing = request(new URL(incoming.url ?? '/', target), options, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.on('error', (error) => {
    if (!response.headersSent) response.writeHead(502);
    response.end(`the model server does not answer: ${error.message}`);
  });
  response.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}

/** Starts a relay to a model server on an address of this machine. */
export async function startRelay(baseUrl: string, host: string): Promise<{ baseUrl: string; close(): void }> {
  const target = new URL(baseUrl);
  const server = createServer((incoming, response) => relay(target, incoming, response)).listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { baseUrl: `http://${host}:${port}${target.pathname}`, close };
}

/**
 * Reads MODEL, MODEL_NAME and MODEL_KEY as `make up` does. Pods of the local cluster have no route out of the machine,
 * so a relay on its address forwards the requests.
 */
export async function reachModel(
  env: Readonly<Record<string, string | undefined>>,
  cluster: 'local' | 'current',
): Promise<ReachableModel> {
  const chosen = await chooseModel(env).catch((error: unknown) => {
    throw new Failure(error instanceof Error ? error.message : String(error), 'see MODEL in make eval ARGS=--help');
  });
  if (chosen === null) throw new Failure('MODEL is empty', 'set it to an address, or to village');
  const { model, contextTokens, tools, json, key, isBaseModel } = chosen;
  const host = cluster === 'local' ? (await clusterStatus())?.spec.apiHost : undefined;
  const { baseUrl, close } =
    host === undefined ? { baseUrl: chosen.baseUrl, close: () => undefined } : await startRelay(chosen.baseUrl, host);
  const kind = isBaseModel === true ? 'completions' : 'compatible';
  const server = { kind, base_url: baseUrl, ...(key === null ? {} : { key }) } as const;
  return { server, offer: { model, tools, json, context_tokens: contextTokens ?? undefined }, close };
}
