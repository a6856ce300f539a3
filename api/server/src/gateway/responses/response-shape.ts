import type { ResponseAnswer, ResponseBody, ResponseEvent, ResponseUsage } from '@hamlet/contract';
import type { Ticket } from '../admit-request.ts';
import type { AnswerShape, Completed } from '../carry-out.ts';
import { receiptOf, type CompletionHead } from '../chat/completion-shape.ts';
import { ItemStream } from './item-stream.ts';
import { callableTools, leavesToolsOut } from './response-tools.ts';

function usageOf({ usage }: Completed): ResponseUsage {
  const { promptTokens, completionTokens, cachedPromptTokens, reasoningTokens } = usage;
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedPromptTokens },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: promptTokens + completionTokens,
  };
}

function begunOf({ requestId, plan }: Ticket, body: ResponseBody, { createdS }: CompletionHead): ResponseAnswer {
  return {
    id: `resp_${requestId}`,
    object: 'response',
    created_at: createdS,
    status: 'in_progress',
    model: plan.served.name,
    output: [],
    usage: null,
    incomplete_details: null,
    error: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    metadata: body.metadata ?? {},
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: null,
    store: false,
    temperature: body.temperature ?? null,
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_p: body.top_p ?? null,
    truncation: 'disabled',
  };
}

function receiptWith(
  ticket: Ticket,
  completed: Completed,
  about: { readonly head: CompletionHead; readonly body: ResponseBody },
) {
  const receipt = receiptOf(ticket, completed, about.head);
  const notes = [...(receipt.notes ?? []), ...(leavesToolsOut(about.body) ? ['tools_left_out' as const] : [])];
  return notes.length === 0 ? receipt : { ...receipt, notes };
}

/** The answer of one request in the format Responses, whole or as events. */
export function responseShape(
  ticket: Ticket,
  body: ResponseBody,
  head: CompletionHead,
): AnswerShape<ResponseAnswer, ResponseEvent> {
  const { requestId, plan } = ticket;
  const items = new ItemStream({ requestId, messages: plan.request.messages.length, tools: callableTools(body) });
  const begun = begunOf(ticket, body, head);
  let sequence = 0;
  const numbered = (events: readonly Omit<ResponseEvent, 'sequence_number'>[]): readonly ResponseEvent[] =>
    events.map((event) => ({ ...event, sequence_number: sequence++ }));
  const answerOf = (completed: Completed): ResponseAnswer => {
    const isCut = completed.finish === 'length';
    return {
      ...begun,
      status: isCut ? 'incomplete' : 'completed',
      output: [...items.items],
      usage: usageOf(completed),
      incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
      hamlet: receiptWith(ticket, completed, { head, body }),
    };
  };
  return {
    whole: (completed) => {
      for (const { text, sealed } of completed.reasoning) items.piece({ kind: 'reasoning', text, sealed });
      items.piece({ kind: 'text', text: completed.content });
      items.end(completed.toolCalls);
      return answerOf(completed);
    },
    first: () =>
      numbered([
        { type: 'response.created', response: begun },
        { type: 'response.in_progress', response: begun },
      ]),
    piece: (piece) => numbered(items.piece(piece)),
    last: (completed) => {
      const ended = items.end(completed.toolCalls);
      const response = answerOf(completed);
      return numbered([
        ...ended,
        { type: completed.finish === 'length' ? 'response.incomplete' : 'response.completed', response },
      ]);
    },
  };
}
