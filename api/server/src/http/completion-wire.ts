import type { Problem, RouteSpec } from '@hamlet/contract';
import { anthropicErrorOf, openAiErrorOf } from './respond.ts';

export interface CompletionWire {
  event(chunk: unknown, json: string): string;
  readonly done: string;
  failure(problem: Problem): string;
}

const data = (json: string): string => `data: ${json}\n\n`;
const named = (event: string, json: string): string => `event: ${event}\n${data(json)}`;

function typeOf(chunk: unknown): string {
  return typeof chunk === 'object' && chunk !== null && 'type' in chunk ? String(chunk.type) : 'message';
}

const OPENAI: CompletionWire = {
  event: (_chunk, json) => data(json),
  done: data('[DONE]'),
  failure: (problem) => data(JSON.stringify({ error: openAiErrorOf(problem) })),
};

const ANTHROPIC: CompletionWire = {
  event: (chunk, json) => named(typeOf(chunk), json),
  done: '',
  failure: (problem) =>
    named('error', JSON.stringify({ type: 'error', error: anthropicErrorOf(problem), request_id: problem.request_id })),
};

export function completionWire({ answer }: Pick<RouteSpec, 'answer'>): CompletionWire {
  return answer.kind === 'completion' && answer.wire === 'anthropic' ? ANTHROPIC : OPENAI;
}
