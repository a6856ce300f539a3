import type { AgentRuntime, RuntimeContext } from '@hamlet/engine';
import { fitting } from '../brain/speech.ts';
import { rejectOnAbort } from '../village/retry.ts';

/** Timeout of an answer; the turn then ends without words. */
export const ANSWER_TIMEOUT_MS = 20_000;

export type Words =
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'silent'; readonly why: string };

/** Answers speech. Never rejects. */
export interface Voice {
  answer(prompt: string, context: Omit<RuntimeContext, 'signal'>): Promise<Words>;
}

/** Answers with a runtime, within the timeout, and cuts the text to the length of a speech bubble. */
export function voiceOf(runtime: AgentRuntime, stop: AbortSignal): Voice {
  return {
    answer: async (prompt, context) => {
      const signal = AbortSignal.any([stop, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
      try {
        const text = await Promise.race([runtime.execute(prompt, { ...context, signal }), rejectOnAbort(signal)]);
        const spoken = fitting(text);
        return spoken === ''
          ? { kind: 'silent', why: 'the runtime gave an empty answer' }
          : { kind: 'said', text: spoken };
      } catch (error) {
        return { kind: 'silent', why: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}

/** The voice of a resident without a runtime: it stays silent and gives the reason. */
export function noVoice(why: string): Voice {
  return { answer: async () => ({ kind: 'silent', why }) };
}
