import type { AgentRuntime, RuntimeContext } from '@hamlet/engine';
import { fitting } from '../brain/speech.ts';

/** A runtime that has not answered after so long is given up; its turn goes on without words. */
export const ANSWER_TIMEOUT_MS = 20_000;

export type Words =
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'silent'; readonly why: string };

/** What the resident says when it is spoken to. Never rejects. */
export interface Voice {
  answer(prompt: string, context: Omit<RuntimeContext, 'signal'>): Promise<Words>;
}

/** Speaks with a runtime: its time is limited, its words are cut to what a speech bubble holds. */
export function voiceOf(runtime: AgentRuntime, stop: AbortSignal): Voice {
  return {
    answer: async (prompt, context) => {
      const signal = AbortSignal.any([stop, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
      try {
        const text = await Promise.race([runtime.execute(prompt, { ...context, signal }), aborted(signal)]);
        const spoken = fitting(text);
        return spoken === ''
          ? { kind: 'silent', why: 'the runtime answered with no words' }
          : { kind: 'said', text: spoken };
      } catch (error) {
        return { kind: 'silent', why: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}

/** The voice of a resident whose runtime is not there: it says nothing, and why. */
export function noVoice(why: string): Voice {
  return { answer: async () => ({ kind: 'silent', why }) };
}

/** A runtime may ignore its signal: the resident does not wait for it all the same. */
function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const refuse = () => reject(signal.reason as Error);
  if (signal.aborted) refuse();
  else signal.addEventListener('abort', refuse, { once: true });
  return promise;
}
