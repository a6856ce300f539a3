import { setTimeout as delay } from 'node:timers/promises';
import {
  admitEgress,
  createClient,
  EGRESS_HOST_MAX_CHARS,
  EGRESS_PATH_MAX_CHARS,
  keepEgressAttempts,
  ProblemError,
  readEgressSecret,
  type EgressAttempt,
  type EgressEnd,
} from '@hamlet/contract/broker';
import { deny, type EgressDenial } from '@hamlet/core/egress';
import type { Admission, Attempt, AttemptEnd, PermissionAsk, Village } from '../village.ts';
import { BrakeStream } from './brake-stream.ts';

/** Longest wait for one answer of the API. A program waits meanwhile. */
const ANSWER_MS = 5_000;
/** Pauses before a lost request is sent again: all of them are harmless to repeat. */
const RETRY_MS: readonly number[] = [100, 400];

type ApiClient = ReturnType<typeof createClient>;

export interface HttpVillageOptions {
  /** Origin of the API's listener for agents. */
  readonly baseUrl: string;
  /** The token by which the API knows the broker, as it is now. */
  readonly token: () => Promise<string>;
  readonly onError: (error: unknown) => void;
}

const wireAttempt = ({ host, path, at, ...rest }: Attempt): EgressAttempt => ({
  ...rest,
  host: host.slice(0, EGRESS_HOST_MAX_CHARS),
  path: path?.slice(0, EGRESS_PATH_MAX_CHARS) ?? null,
  at: new Date(at).toISOString(),
});

const wireEnd = ({ sentBytes, receivedBytes, durationMs, ...rest }: AttemptEnd): EgressEnd => ({
  ...rest,
  sent_bytes: sentBytes,
  received_bytes: receivedBytes,
  duration_ms: Math.max(0, Math.round(durationMs)),
});

/** The API as the broker needs it: admissions, the record of attempts, secrets, and the stream of brakes. */
export class HttpVillage implements Village {
  readonly #client: ApiClient;
  readonly #brakes: BrakeStream;
  /** Attempts that the API has kept, by the code of their refusal. */
  readonly kept = new Map<string, number>();

  constructor({ baseUrl, token, onError }: HttpVillageOptions) {
    this.#client = createClient({ baseUrl, token });
    this.#brakes = new BrakeStream({ client: this.#client, onError });
  }

  /** Follows the stream of brakes until `stop`. */
  start(): void {
    this.#brakes.start();
  }

  stop(): Promise<void> {
    return this.#brakes.stop();
  }

  /** Why agents are not admitted now, if they are not. */
  get problem(): string | undefined {
    return this.#brakes.isCut ? 'the stream of brakes from the API is down' : undefined;
  }

  /** Rejects while the stream of brakes is down: a connection that could not be ended must not begin. */
  async admit(token: string): Promise<Admission | EgressDenial> {
    if (this.#brakes.isCut) throw new Error('the stream of brakes from the API is down');
    const answer = await this.#admitted(token);
    if ('verdict' in answer) return answer;
    // The stream may have reported newer rules while the answer was on its way.
    const latest = this.#brakes.isStale(answer) ? await this.#admitted(token) : answer;
    if ('uid' in latest) this.#brakes.admitted(latest);
    return latest;
  }

  async begin(attempts: readonly Attempt[]): Promise<void> {
    await this.#post(() =>
      this.#client.call(keepEgressAttempts, withLimit({ begin: attempts.map(wireAttempt), end: [] })),
    );
    for (const { refused } of attempts) {
      const code = refused ?? 'none';
      this.kept.set(code, (this.kept.get(code) ?? 0) + 1);
    }
  }

  async end(ends: readonly AttemptEnd[]): Promise<void> {
    await this.#post(() => this.#client.call(keepEgressAttempts, withLimit({ begin: [], end: ends.map(wireEnd) })));
  }

  async secret({ uid }: Admission, name: string): Promise<string | null> {
    return (await this.#post(() => this.#client.call(readEgressSecret, withLimit({ uid, name })))).value;
  }

  /** Refuses: the API takes no questions of the broker yet, and a write that no person permitted must not go out. */
  async permit({ summary }: PermissionAsk): Promise<EgressDenial> {
    return deny(
      'egress_denied',
      `no person can permit this from here (${summary.slice(0, 200)}); deliver it as a patch, and let a person send it`,
    );
  }

  onStopped(listener: (uid: string) => void): () => void {
    return this.#brakes.onStopped(listener);
  }

  #admitted(token: string): Promise<Admission | EgressDenial> {
    return this.#post(() => this.#client.call(admitEgress, withLimit({ token })));
  }

  /** The answer of the API; a lost request is repeated, a refused one is not. */
  async #post<T>(send: () => Promise<Answered<T>>): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const outcome = await send();
        if (outcome.ok) return outcome.data;
        if (outcome.problem.status < 500) throw new ProblemError(outcome.problem);
        if (attempt >= RETRY_MS.length) throw new ProblemError(outcome.problem);
      } catch (error) {
        if (error instanceof ProblemError || attempt >= RETRY_MS.length) throw error;
      }
      await delay(RETRY_MS[attempt]);
    }
  }
}

type Answered<T> =
  | { readonly ok: true; readonly data: T }
  | { readonly ok: false; readonly problem: ProblemError['problem'] };

function withLimit<T>(body: T): { readonly body: T; readonly signal: AbortSignal } {
  return { body, signal: AbortSignal.timeout(ANSWER_MS) };
}
