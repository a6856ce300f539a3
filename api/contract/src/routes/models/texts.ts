import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { AgentParams, Time } from '../../values/scalars.ts';
import { manageModels } from './providers.ts';

const RequestParams = z.strictObject({ request_id: z.uuid() });

/** The prompt and the answer of a request to a model, in a village that keeps them. */
export const ModelText = z.strictObject({
  request_id: z.uuid(),
  agent_id: z.string(),
  run_id: z.uuid().nullable(),
  kept_at: Time,
  expires_at: Time,
  prompt: z.string().describe('JSON: the messages that the model received'),
  answer: z.string().describe('JSON: {content, tool_calls}, also of an answer that was cut off'),
});
export type ModelText = z.infer<typeof ModelText>;

export const getModelText = defineRoute('GET /models/requests/{request_id}/text', {
  ...manageModels,
  name: 'getModelText',
  summary: 'Read the prompt and the answer of a request, if the village keeps them; the audit records it',
  params: RequestParams,
  answer: json(z.strictObject({ text: ModelText })),
  reasons: ['no_such_model_text'],
});

export const forgetModelText = defineRoute('DELETE /models/requests/{request_id}/text', {
  ...manageModels,
  name: 'forgetModelText',
  summary: 'Delete the prompt and the answer of a request; their salted hashes stay in the audit',
  idempotency: 'natural',
  params: RequestParams,
  answer: json(z.strictObject({ forgotten: z.int().min(0) })),
  reasons: ['no_such_model_text'],
});

export const forgetModelTexts = defineRoute('DELETE /agents/{agent_id}/model-texts', {
  ...manageModels,
  name: 'forgetModelTexts',
  summary: 'Delete all prompts and answers that the village keeps of an agent',
  idempotency: 'natural',
  params: AgentParams,
  answer: json(z.strictObject({ forgotten: z.int().min(0) })),
});
