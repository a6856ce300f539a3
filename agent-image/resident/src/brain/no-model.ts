import { quoted } from './words.ts';

/** The code of a run that nothing was done for, because no rule understood it and no language model is there to. */
export const NO_MODEL = 'no_model';

/** How a person connects a language model. True as long as the gateway has its scripted provider alone. */
export const HOW_TO_CONNECT =
  'This village has scripted models only so far, and they understand nothing. To connect a language model, give the models gateway of the api a provider (docs/AGENTS.md, “Connecting a language model”).';

/** The requests that the sentence patterns cover. */
export const WHAT_I_UNDERSTAND =
  'I understand “go to the library”, “say hello to Bob”, “find Bob”, “tell Bob that the bread is ready”, “read the board” and “look around”.';

/** Why a run came to nothing, and what helps. Pure. */
export function noModelWords(prompt: string): string {
  const asked = prompt.trim() === '' ? 'I was asked nothing' : `None of my rules understood ${quoted(prompt, 80)}`;
  return `I did nothing. ${asked}, and I have no language model. ${HOW_TO_CONNECT} ${WHAT_I_UNDERSTAND}`;
}
