/** Parses a prompt with a list of sentence patterns. Pure: the same prompt in the same village always gives the same result. */
import type { Surroundings } from '@hamlet/engine';
import { plain, quoted, sentence } from './words.ts';

export type Wish =
  | { readonly kind: 'go'; readonly placeId: string }
  | { readonly kind: 'use'; readonly placeId: string }
  | { readonly kind: 'find'; readonly agentId: string }
  | { readonly kind: 'greet'; readonly agentId: string }
  | { readonly kind: 'tell'; readonly agentId: string; readonly text: string }
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'look' }
  | { readonly kind: 'recall' }
  | { readonly kind: 'forget' };

/** A part of a prompt with its requests; `wishes` is empty when no pattern matches. */
export type Reading = { readonly words: string; readonly wishes: readonly Wish[] };

/** The rest of a longer prompt is not carried out, and the summary says so. */
const MAX_CLAUSES = 64;
const MAX_CLAUSE_CHARS = 400;

const QUOTED = /"[^"]*"|“[^”]*”|«[^»]*»|(?<![\p{L}\p{N}])'[^']*'(?![\p{L}\p{N}])/gu;
const BREAK =
  /[.;!?\n]+(?=\s|$)|,?\s+(?:and\s+)?then\s+|,?\s+and\s+(?=(?:then\s+)?(?:go|walk|come|head|return|visit|say|tell|ask|greet|find|meet|look|read|use|report|describe|wave|announce)\b)/giu;
/** Characters typical of programs: braces, tags, back-ticks, and a name directly followed by a bracket. */
const CODE = /[{}<>`$]|\w\(|\[\s*["'{[]/u;

/** A private-use character of Unicode that replaces quotations while a prompt is split. */
const MASK = '\u{e000}';
const MASKED = /\u{e000}(\d+)\u{e000}/gu;
/** A quotation before a capital letter. If it ends with a full stop, the surrounding sentence ends there too. */
const QUOTED_END = /\u{e000}(\d+)\u{e000}(?=\s+\p{Lu})/gu;

const looksLikeCode = (text: string): boolean => CODE.test(text.replaceAll(QUOTED, '')) || /^\s*[{[]/u.test(text);

/** The parts of a prompt's sentences, in order. A quotation is never split. */
function clausesOf(prompt: string): readonly string[] {
  const quotes: string[] = [];
  const masked = prompt.replaceAll(MASK, '').replaceAll(QUOTED, (quote) => `${MASK}${quotes.push(quote) - 1}${MASK}`);
  const parts = masked
    .replaceAll(QUOTED_END, (mask, index: string) =>
      /[.!?].$/u.test(quotes[Number(index)] ?? '') ? `${mask}\n` : mask,
    )
    .split(BREAK)
    .map((part) => part.replaceAll(MASKED, (_, index: string) => quotes[Number(index)] ?? ''));
  return parts
    .map((part) => part.trim().replace(/^[,\s]+/u, ''))
    .filter((part) => part !== '')
    .map((part) => part.slice(0, MAX_CLAUSE_CHARS));
}

function mentions(text: string, name: string): boolean {
  const words = plain(name)
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return words !== '' && ` ${plain(text).replaceAll(/[^\p{L}\p{N}]+/gu, ' ')} `.includes(` ${words} `);
}

/** The candidate with the longest name wins: "Town Hall" also contains "hall". */
function best<T>(candidates: readonly { readonly name: string; readonly is: T }[], text: string): T | null {
  const named = candidates.filter(({ name }) => mentions(text, name)).toSorted((a, b) => b.name.length - a.name.length);
  return named[0]?.is ?? null;
}

function placeIn(text: string, { places, home }: Surroundings): string | null {
  const named = places.flatMap(({ id, name, kind }) => [
    { name, is: id },
    { name: id, is: id },
    ...(kind === 'home' ? [] : [{ name: kind, is: id }]),
  ]);
  return best([...named, { name: 'home', is: home }], text);
}

function agentIn(text: string, { agents }: Surroundings): string | null {
  return best(
    agents.flatMap(({ id, name }) => [
      { name, is: id },
      { name: id, is: id },
    ]),
    text,
  );
}

function quotedIn(text: string): string | null {
  const [, double, curly, angled, single] =
    /"([^"]+)"|“([^”]+)”|«([^»]+)»|(?<![\p{L}\p{N}])'([^']+)'(?![\p{L}\p{N}])/u.exec(text) ?? [];
  return (double ?? curly ?? angled ?? single)?.trim() ?? null;
}

type Pattern = (words: string, here: Surroundings) => readonly Wish[] | null;

const POLITE =
  /^(?:(?:please|now|first|next|finally|also|then|kindly)\b[,\s]*|(?:could|can|would|will) you (?:please )?|i (?:want|would like) you to |you should )+/iu;

/** The words to say, without the "that" of indirect speech. */
function speech(text: string): string {
  return sentence(text.trim().replace(/^that\s+/iu, ''));
}

/** "tell Bob that the bread is ready", "say "hello" to Bob" */
const passOn: Pattern = (words, here) => {
  const addressed = /^tell\s+(\S+(?:\s\S+)?)[\s,:]/iu.exec(words);
  const says = /^(?:say|shout|announce|call)\b.*\bto\s+(.+)$/iu.exec(words);
  const agentId = agentIn(addressed?.[1] ?? says?.[1] ?? '', here);
  if (agentId === null) return null;
  const text = quotedIn(words) ?? (addressed === null ? null : afterName(words, agentId, here));
  if (text !== null) return [{ kind: 'tell', agentId, text }];
  return GREETING.test(words) ? [{ kind: 'greet', agentId }] : null;
};

const GREETING = /\b(?:hello|hi|good (?:morning|day|evening|night)|welcome)\b/iu;

/** The words after the name; null if there are none, or if they ask the agent to make up a text. */
function afterName(words: string, agentId: string, { agents }: Surroundings): string | null {
  const name = agents.find(({ id }) => id === agentId)?.name ?? agentId;
  const spoken =
    [name, agentId]
      .map((each) => words.toLowerCase().indexOf(each.toLowerCase()) + each.length)
      .find((at) => at >= Math.min(name.length, agentId.length)) ?? 0;
  const rest = words.slice(spoken).replace(/^[\s,:]+/u, '');
  if (
    rest === '' ||
    /^(?:about|what|how|why|who|where|when|whether|if|a|an|some|your|the (?:story|news|truth))\b/iu.test(rest)
  )
    return null;
  return speech(rest);
}

/** "say "good morning"", "announce: the market is open" */
const say: Pattern = (words) => {
  if (!/^(?:say|shout|announce|call out|tell (?:everybody|everyone|all))\b/iu.test(words)) return null;
  const text =
    quotedIn(words) ??
    /^(?:say|shout|announce|call out|tell (?:everybody|everyone|all))\s*(?::|that\b)\s*(.+)$/iu.exec(words)?.[1] ??
    null;
  if (text !== null) return [{ kind: 'say', text: quotedIn(words) ?? speech(text) }];
  const greeting = /^say\s+((?:hello|hi|good (?:morning|day|evening|night)|welcome)\b.*)$/iu.exec(words)?.[1];
  return greeting === undefined ? null : [{ kind: 'say', text: `${speech(greeting).slice(0, -1)}!` }];
};

/** "greet Bob", "wave to Bob" */
const greet: Pattern = (words, here) => {
  if (!/^(?:greet|welcome|wave (?:to|at)|say (?:hello|hi|good \w+) to)\b/iu.test(words)) return null;
  const agentId = agentIn(words, here);
  return agentId === null ? null : [{ kind: 'greet', agentId }];
};

/** "find Bob", "go to Bob", "visit Bob" */
const find: Pattern = (words, here) => {
  if (
    !/^(?:find|look for|search for|meet|visit|seek|(?:go|walk|run|head|come)\s+(?:over )?(?:to|and see))\b/iu.test(
      words,
    )
  )
    return null;
  const agentId = placeIn(words, here) === null ? agentIn(words, here) : null;
  return agentId === null ? null : [{ kind: 'find', agentId }];
};

/** "go to the café", "walk round the square", "return home" */
const go: Pattern = (words, here) => {
  if (!/^(?:go|walk|run|head|move|come|return|stroll|travel|visit|take a walk|be at)\b/iu.test(words)) return null;
  const placeId = placeIn(words, here);
  return placeId === null ? null : [{ kind: 'go', placeId }];
};

/** "read the board", "use the workbench in the workshop", "have coffee at the café" */
const use: Pattern = (words, here) => {
  if (!/^(?:read|use|work at|work in|sit|rest|have (?:a )?coffee|fish|get (?:some )?bread)\b/iu.test(words))
    return null;
  const placeId = placeIn(words, here);
  return placeId === null ? null : [{ kind: 'use', placeId }];
};

/** "look around", "report what you see" */
const look: Pattern = (words) =>
  /^(?:look (?:around|about)|have a look|report\b|describe (?:what|where)|(?:tell|show) (?:me|us) (?:what|who|where)\b|what do you see|where are you|who is (?:here|there|near))/iu.test(
    words,
  )
    ? [{ kind: 'look' }]
    : null;

/** "what do you know about me", "do you remember me" */
const recall: Pattern = (words) =>
  /^(?:what (?:do|can) you (?:know|remember|recall) (?:about|of) (?:me|us)|do you remember (?:me|us)|(?:tell|show) (?:me|us) what you (?:know|remember))\b/iu.test(
    words,
  )
    ? [{ kind: 'recall' }]
    : null;

/** "forget that", "forget what I said" */
const forget: Pattern = (words) =>
  /^forget (?:that|this|it|what (?:i|we) (?:just )?said)\b/iu.test(words) ? [{ kind: 'forget' }] : null;

const PATTERNS: readonly Pattern[] = [recall, forget, greet, passOn, say, look, use, find, go];

function wishesIn(words: string, here: Surroundings): readonly Wish[] {
  const asked = words.replace(POLITE, '');
  for (const pattern of PATTERNS) {
    const wishes = pattern(asked, here);
    if (wishes !== null) return wishes;
  }
  return [];
}

export function readWishes(prompt: string, here: Surroundings): readonly Reading[] {
  if (looksLikeCode(prompt)) return [{ words: prompt.slice(0, 200), wishes: [] }];
  const clauses = clausesOf(prompt);
  const rest = clauses.slice(MAX_CLAUSES).join('. ').slice(0, MAX_CLAUSE_CHARS);
  const read = clauses.slice(0, MAX_CLAUSES).map((words) => ({ words, wishes: wishesIn(words, here) }));
  return rest === '' ? read : [...read, { words: rest, wishes: [] }];
}

/** Error code of a run that no pattern matches, in a village without a language model. */
export const NO_MODEL = 'no_model';

export const HOW_TO_CONNECT =
  'I have only a scripted mind, which understands nothing. To connect a language model, an operator runs make up MODEL=URL or sets models.config of the chart (docs/OPERATIONS.md).';

export const WHAT_I_UNDERSTAND =
  'I understand “go to the library”, “say hello to Bob”, “find Bob”, “tell Bob that the bread is ready”, “read the board”, “look around”, “what do you know about me” and “forget that”.';

export function noModelWords(prompt: string): string {
  const asked = prompt.trim() === '' ? 'I was asked nothing' : `None of my rules understood ${quoted(prompt, 80)}`;
  return `I did nothing. ${asked}, and I have no language model. ${HOW_TO_CONNECT} ${WHAT_I_UNDERSTAND}`;
}
