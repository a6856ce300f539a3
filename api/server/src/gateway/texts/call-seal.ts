import { createHash, randomBytes } from 'node:crypto';
import { formatAiDollars, type ModelReceipt } from '@hamlet/contract';
import { callsOf, type AnswerState, type ChatMessage } from '@hamlet/models';
import type { AuditEntry, LostRequest, ModelRequestEnd } from '@hamlet/store';
import { actingAs, lineOf } from '../../audit/record-act.ts';
import type { Ticket } from '../admit-request.ts';

const SALT_BYTES = 32;

export interface CallSeal {
  readonly prompt: string;
  readonly answer: string;
  readonly salt: Buffer;
  readonly promptSha256: string;
  readonly answerSha256: string;
}

function hashOf(salt: Buffer, text: string): string {
  return createHash('sha256').update(salt).update(text).digest('hex');
}

/** A new random salt, so that a reader of the audit's hash cannot test a guess of the text. */
export function sealTexts(prompt: string, answer: string): CallSeal {
  const salt = randomBytes(SALT_BYTES);
  return { prompt, answer, salt, promptSha256: hashOf(salt, prompt), answerSha256: hashOf(salt, answer) };
}

export function sealChat(messages: readonly ChatMessage[], answer: AnswerState): CallSeal {
  const { content } = answer;
  return sealTexts(JSON.stringify(messages), JSON.stringify({ content, tool_calls: callsOf(answer) }));
}

export function sealView({ salt, promptSha256, answerSha256 }: CallSeal): NonNullable<ModelReceipt['seal']> {
  return { salt: salt.toString('hex'), prompt_sha256: promptSha256, answer_sha256: answerSha256 };
}

export interface EndedCall extends ModelRequestEnd {
  readonly provider: string;
  /** Micro-aiDollars. */
  readonly cost: bigint;
  readonly estimated: boolean;
  readonly seal: CallSeal;
}

export function callLine({ requestId, agentId, plan, run }: Ticket, ended: EndedCall): AuditEntry {
  const { outcome, promptTokens, completionTokens, provider, cost, estimated, seal } = ended;
  return lineOf(actingAs('agent', agentId), {
    action: 'models.call',
    object: requestId,
    detail: {
      model: plan.served.name,
      provider,
      run_id: run?.runId ?? null,
      outcome,
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      estimated,
      cost: formatAiDollars(cost),
      prompt_sha256: seal.promptSha256,
      answer_sha256: seal.answerSha256,
    },
  });
}

/** The line of a request whose replica died. Its answer is unknown; the tokens that it had reserved count as used. */
export function lostLine({ requestId, agentId, runId, model, provider, reservedTokens }: LostRequest): AuditEntry {
  return lineOf(actingAs('agent', agentId), {
    action: 'models.call',
    object: requestId,
    detail: { model, provider, run_id: runId, outcome: 'lost', reserved_tokens: reservedTokens },
  });
}
