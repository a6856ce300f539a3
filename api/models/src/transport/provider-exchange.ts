import { ModelFault } from '../chat/model-error.ts';
import { ERROR_BYTES, type AnswerLimits } from './answer-limits.ts';
import { classifyError } from './classify-error.ts';
import { guardedFetch } from './guarded-fetch.ts';
import type { ModelPorts } from './model-ports.ts';
import type { Fetch, ServerAnswer } from './server-answer.ts';
import { parseJson, wellFormedJson } from './json-text.ts';

export interface AdapterKit {
  readonly ports: ModelPorts;
  readonly limits: AnswerLimits;
}

async function errorText({ body }: ServerAnswer): Promise<string> {
  if (body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true });
      bytes += chunk.length;
      if (bytes > ERROR_BYTES) break;
    }
  } catch {
    // The status alone classifies the error.
  }
  return text;
}

function errorBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // An HTML error page, for example of a proxy, is useless to a reader.
    return text.trimStart().startsWith('<') ? '' : text;
  }
}

/** A fetch with limited answers that throws the provider's error as a fault. */
export function providerFetch({ ports, limits }: AdapterKit, stream: boolean): Fetch {
  const fetch = guardedFetch({ ports, limits, byLines: stream });
  return async (url, request) => {
    const response = await fetch(url, request);
    if (response.ok) return response;
    const body = errorBody(await errorText(response));
    throw classifyError({ status: response.status, headers: response.headers, body }, ports.nowMs());
  };
}

interface JsonPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
  readonly stream: boolean;
  readonly signal: AbortSignal;
}

/** The header that authenticates with a key; none without a key. */
export function bearer(apiKey: string | null): Readonly<Record<string, string>> {
  return apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
}

export function postJson(kit: AdapterKit, { url, headers, body, stream, signal }: JsonPost): Promise<ServerAnswer> {
  return providerFetch(kit, stream)(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: stream ? 'text/event-stream' : 'application/json',
      ...headers,
    },
    body: wellFormedJson(JSON.stringify(body)),
    redirect: 'manual',
    signal,
  });
}

export function bodyOf({ body }: ServerAnswer): AsyncIterable<Uint8Array> {
  if (body === null) throw new ModelFault('bad_answer', 'the provider sent an answer without a body');
  return body;
}

export async function jsonOf(answer: ServerAnswer): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of bodyOf(answer)) text += decoder.decode(bytes, { stream: true });
  return parseJson(text + decoder.decode());
}

/** The address of a path below a base URL, which may end with a slash. */
export function endpoint(baseUrl: string, path: string): string {
  return `${baseUrl.replace(/\/+$/, '')}/${path}`;
}
