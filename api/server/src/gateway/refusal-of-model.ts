import { isProviderFailure, PROVIDER_FAILURES, type ModelMender, type Refusal } from '@hamlet/contract';
import type { ModelError, ModelErrorCode } from '@hamlet/models';
import { refused, type Refused } from '../http/outcome.ts';

/** Failures caused by the request itself. Their messages help the caller and contain no credential. */
const OF_REQUEST: Partial<Readonly<Record<ModelErrorCode, Refusal>>> = {
  context_too_long: 'context_too_long',
  content_refused: 'content_refused',
  bad_request: 'model_bad_request',
};

/** Failures of the provider or its credential. Messages of other failures may quote the prompt or the answer. */
const OF_PROVIDER: ReadonlySet<ModelErrorCode> = new Set([
  'auth',
  'forbidden',
  'no_such_model',
  'quota',
  'rate',
  'overloaded',
  'unreachable',
  'network',
]);

/** A failure for the log, without words of the agent or the model. Pure. */
export const loggedFailure = ({ code, status, message }: ModelError) =>
  OF_PROVIDER.has(code) ? { code, status, message } : { code, status };

/** Clients compact a conversation by these words; those of providers differ. */
const TOO_LONG = 'prompt is too long';

function wordsOf({ code, message }: ModelError, provider: string): string {
  const words = `The provider ${provider}: ${message}`;
  return code === 'context_too_long' && !message.toLowerCase().includes(TOO_LONG) ? `${TOO_LONG}. ${words}` : words;
}

function refusalOfField(field: string, words: string): Refused {
  const errors = [{ path: `body.${field}`, message: 'the provider of this model does not support this field' }];
  return { ...refused('unsupported_field', words), errors };
}

/** Null for a bug of ours. Messages about the village's keys and credit go only to the log. Pure. */
export function refusalOfModel(error: ModelError | null, provider: string): Refused {
  const reason = error === null ? undefined : OF_REQUEST[error.code];
  if (error?.field !== undefined) return refusalOfField(error.field, wordsOf(error, provider));
  if (error !== null && reason !== undefined) return refused(reason, wordsOf(error, provider));
  const words = `${causeOf(error?.code ?? '', provider)}; the agent pays only for the tokens so far`;
  const failed = refused('model_failed', words, waitOf(error));
  return error === null ? failed : { ...failed, cause: error.code };
}

/** Advice for callers, by the party that can mend a failure. */
const MENDERS: Readonly<Record<ModelMender, string>> = {
  admin: 'An admin of the village can mend it',
  account: 'The owner of the account at the provider can mend it',
  provider: 'Repeat the request later',
  caller: 'Change the request',
};

/** The class of a failure, and the person who can mend it. Pure. */
export function causeOf(code: string, provider: string): string {
  if (!isProviderFailure(code)) return `The provider ${provider} failed`;
  const { cause, mender } = PROVIDER_FAILURES[code];
  return `The provider ${provider} failed: ${cause} (${code}). ${MENDERS[mender]}`;
}

function waitOf(error: ModelError | null): number | undefined {
  return error?.retryAfterMs === undefined ? undefined : Math.ceil(error.retryAfterMs / 1_000);
}
