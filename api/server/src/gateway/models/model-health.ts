import { PROVIDER_FAILURES, storableText } from '@hamlet/contract';
import type { ModelErrorCode, ModelError } from '@hamlet/models';
import { noteModelFailure, noteModelSuccess, type Db, type ModelAt } from '@hamlet/store';
import type { Log } from '../../service/log.ts';
import { loggedFailure } from '../refusal-of-model.ts';

/** A success or failure of one model is written at most once in this time, so that requests do not wait for it. */
const EVERY_MS = 15_000;
const MESSAGE_MAX_CHARS = 300;
/** Maximum number of models whose last write is remembered. */
const REMEMBERED_MAX = 1_000;

interface HealthPorts {
  readonly db: Db;
  readonly log: Log;
  readonly monotonicMs: () => number;
}

/** Keeps the newest success and failure of each model for people. Stateful: remembers when it wrote each. */
export class ModelHealth {
  readonly #ports: HealthPorts;
  readonly #written = new Map<string, number>();

  constructor(ports: HealthPorts) {
    this.#ports = ports;
  }

  succeeded(at: ModelAt): Promise<void> {
    return this.#write(`ok ${at.provider} ${at.model}`, () => noteModelSuccess(this.#ports.db, at));
  }

  /** Failures that the request itself caused say nothing about the model. `error` is null for a late or broken answer. */
  failed(at: ModelAt, error: ModelError | null): Promise<void> {
    if (error !== null && PROVIDER_FAILURES[error.code].mender === 'caller') return Promise.resolve();
    const { code, message = null } = error === null ? { code: 'network' } : wordsOf(error);
    return this.#write(`${code} ${at.provider} ${at.model}`, () =>
      noteModelFailure(this.#ports.db, { ...at, code, message }),
    );
  }

  async #write(key: string, write: () => Promise<void>): Promise<void> {
    const now = this.#ports.monotonicMs();
    if (now - (this.#written.get(key) ?? -Infinity) < EVERY_MS) return;
    this.#written.delete(key);
    this.#written.set(key, now);
    const oldest = this.#written.keys().next().value;
    if (this.#written.size > REMEMBERED_MAX && oldest !== undefined) this.#written.delete(oldest);
    await write().catch((error: unknown) => {
      this.#written.delete(key);
      this.#ports.log('warn', 'the health of a model was not stored; the next request tries again', { error });
    });
  }
}

function wordsOf(error: ModelError): { readonly code: ModelErrorCode; readonly message: string | null } {
  const logged = loggedFailure(error);
  const message = 'message' in logged ? storableText(logged.message.slice(0, MESSAGE_MAX_CHARS)) : null;
  return { code: error.code, message };
}
