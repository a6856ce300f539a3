import type { CompletionBody, TextCompletion } from '@hamlet/contract';
import type { Ticket } from '../admit-request.ts';
import type { AnswerShape, Completed } from '../carry-out.ts';
import { receiptOf, usageOf, type CompletionHead } from '../chat/completion-shape.ts';

type Finish = TextCompletion['choices'][number]['finish_reason'];

/** The answer of a base model in OpenAI's old format, whole or in pieces. */
export function continuationShape(
  ticket: Ticket,
  { stream_options: options }: Pick<CompletionBody, 'stream_options'>,
  head: CompletionHead,
): AnswerShape<TextCompletion, TextCompletion> {
  const piece = (text: string, finish: Finish = null): TextCompletion => ({
    id: `cmpl-${ticket.requestId}`,
    object: 'text_completion',
    created: head.createdS,
    model: ticket.plan.served.name,
    choices: [{ index: 0, text, logprobs: null, finish_reason: finish }],
  });
  const finishOf = ({ finish }: Completed): Finish => (finish === 'length' ? 'length' : 'stop');
  return {
    whole: (completed) => ({
      ...piece(completed.content, finishOf(completed)),
      usage: usageOf(completed),
      hamlet: receiptOf(ticket, completed, head),
    }),
    first: () => [piece('')],
    piece: (delta) => (delta.kind === 'text' ? [piece(delta.text)] : []),
    last: (completed) => {
      const end = { ...piece('', finishOf(completed)), hamlet: receiptOf(ticket, completed, head) };
      return options?.include_usage === true ? [end, { ...end, choices: [], usage: usageOf(completed) }] : [end];
    },
  };
}
