import type { ChatCompletionBody, CompletionBody } from '@hamlet/contract';
import type { Handlers } from '../../http/handler.ts';
import type { Refused } from '../../http/outcome.ts';
import type { Village } from '../../village.ts';
import { refusalOfFields } from '../chat/refused-fields.ts';
import { conversing } from '../conversations/converse.ts';
import { continuationShape } from './continuation-shape.ts';

/** Refuses fields that would be dropped in silence. Null if there is none. Pure. */
function refusalOfContinuation({ n, best_of: best, echo, suffix, logprobs }: CompletionBody): Refused | null {
  const asked = { n: (n ?? 1) > 1, best_of: (best ?? 1) > 1, echo: echo === true };
  const fields = { ...asked, suffix: (suffix ?? '') !== '', logprobs: (logprobs ?? 0) > 0 };
  return refusalOfFields(Object.entries(fields).flatMap(([field, isAsked]) => (isAsked ? [field] : [])));
}

function chatBodyOf({ prompt, n: _n, logprobs: _logprobs, ...body }: CompletionBody): ChatCompletionBody {
  return { ...body, messages: [{ role: 'user', content: typeof prompt === 'string' ? prompt : prompt.join('') }] };
}

/** The handler of OpenAI's old format, for base models alone. */
export const continuationHandlers = (village: Village): Pick<Handlers, 'createCompletion'> => ({
  createCompletion: conversing(village, {
    refusal: refusalOfContinuation,
    bodyOf: chatBodyOf,
    shapeOf: continuationShape,
    continues: true,
  }),
});
