import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { Time } from '../../values/scalars.ts';
import { manageModels } from './providers.ts';

export const ModelText = z.strictObject({
  request_id: z.uuid(),
  agent_id: z.string(),
  run_id: z.uuid().nullable(),
  kept_at: Time,
  expires_at: Time,
  prompt: z.string().describe('JSON: the messages that the model received'),
  answer: z.string().describe('JSON: {content, tool_calls}, also of an answer that was cut off'),
});

export const getModelText = defineRoute('getModelText GET /models/requests/{request_id}/text', {
  ...manageModels,
  summary: 'Read the prompt and the answer of a request, if the village keeps them; the audit records it',
  answer: json(z.strictObject({ text: ModelText })),
  reasons: ['no_such_model_text'],
});

export const forgetModelText = defineRoute('forgetModelText DELETE /models/requests/{request_id}/text', {
  ...manageModels,
  summary: 'Delete the prompt and the answer of a request; their salted hashes stay in the audit',
  idempotency: 'natural',
  answer: json(z.strictObject({ forgotten: z.int().min(0) })),
  reasons: ['no_such_model_text'],
});

export const forgetModelTexts = defineRoute('forgetModelTexts DELETE /agents/{agent_id}/model-texts', {
  ...manageModels,
  summary: 'Delete all prompts and answers that the village keeps of an agent',
  idempotency: 'natural',
  answer: json(z.strictObject({ forgotten: z.int().min(0) })),
});
