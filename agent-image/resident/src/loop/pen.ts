import type { ChatCompletion, ChatCompletionBody } from '@hamlet/contract';
import type { Need } from '../brain/board/need.ts';
import { needOfModel } from '../brain/board/need.ts';
import { withoutHandles } from '../brain/board/words.ts';
import type { Occasion } from '../brain/board/words.ts';
import type { Answer } from '../village/village.ts';

const ANSWER_TOKENS = 160;
const SENTENCES_MAX_CHARS = 1_200;
const STYLE =
  'You write on the board of your village. Write one to three short sentences and nothing else. Claim nothing that you were not told.';

/** A text for the board, and who wrote its first sentence: a model, or the agent from its own list. */
export type Written = Readonly<{
  text: string;
  by: string;
  /** Why no model wrote it; null where one did. */
  without: string | null;
}>;

export interface Pen {
  /** Never rejects: without a model the agent writes by itself, and says so. */
  write(occasion: Occasion, by: { readonly model: string | null; readonly persona: string }): Promise<Written>;
}

export interface PenPorts {
  readonly complete: (body: ChatCompletionBody) => Promise<Answer<ChatCompletion>>;
  /** Hears of a model that the agent may not use for lack of tier, quota or money. */
  readonly onNeed: (need: Need) => void;
}

function joined(sentence: string, { facts }: Occasion, by: string): string {
  return withoutHandles([sentence, facts, `— ${by}`].filter((part) => part !== '').join('\n\n'));
}

function whyNot(answer: Exclude<Answer<never>, { kind: 'ok' }>): string {
  switch (answer.kind) {
    case 'refused':
      return answer.code;
    case 'stale':
      return 'a newer run cycle has begun';
    case 'unreachable':
      return answer.why;
  }
}

/** Writes with a model by way of the village's gateway. Which sentence came from where stands under the text. */
export function createPen({ complete, onNeed }: PenPorts): Pen {
  function byItself(occasion: Occasion, why: string): Written {
    return {
      text: joined(occasion.fallback, occasion, 'a sentence of my own list, without a model'),
      by: 'template',
      without: why,
    };
  }

  function noteNeed({ code, detail }: Extract<Answer<never>, { kind: 'refused' }>): void {
    const need = needOfModel(code, detail);
    if (need !== null) onNeed(need);
  }

  return {
    write: async (occasion, { model, persona }) => {
      if (model === null) return byItself(occasion, 'my tier has no model that is served');
      const messages = [
        { role: 'system' as const, content: `${persona}\n${STYLE}`.trim() },
        { role: 'user' as const, content: occasion.prompt },
      ];
      const answer = await complete({ model, messages, max_tokens: ANSWER_TOKENS });
      if (answer.kind === 'refused') noteNeed(answer);
      if (answer.kind !== 'ok') return byItself(occasion, whyNot(answer));
      const sentence = answer.value.choices[0]?.message.content.trim().slice(0, SENTENCES_MAX_CHARS) ?? '';
      if (sentence === '') return byItself(occasion, 'the model wrote nothing');
      const { scripted } = answer.value.hamlet;
      return {
        text: joined(sentence, occasion, `written with the model ${model}${scripted ? ', which is scripted' : ''}`),
        by: model,
        without: null,
      };
    },
  };
}
