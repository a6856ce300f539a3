import type { ChatRequest } from '@hamlet/models';

/**
 * One system message in place of those at the beginning, because some chat templates refuse a second one. Providers with a
 * mark for a prompt's repeated part get them apart. Pure.
 */
export function joinSystem(request: ChatRequest): ChatRequest {
  const others = request.messages.findIndex(({ role }) => role !== 'system');
  const count = others < 0 ? request.messages.length : others;
  if (count < 2) return request;
  const first = request.messages.slice(0, count).map(({ content }) => content);
  const joined = { role: 'system' as const, content: first.filter((content) => content !== '').join('\n\n') };
  return { ...request, messages: [joined, ...request.messages.slice(count)] };
}
