/** Ways to damage the text. Each states the expected result: the value, or a refusal where information was lost. */
import type { Seeded } from '@hamlet/test/env/seeded';
import { textOf, type Token } from './tokens.ts';

export interface Intact {
  readonly value: unknown;
  readonly tokens: readonly Token[];
  readonly text: string;
  readonly isPretty: boolean;
  readonly rng: Seeded;
}

/** `isLost`: the text no longer says what the value was. */
export interface Damaged {
  readonly raw: string;
  readonly isLost?: boolean;
}

/** Null if the document has nothing to damage in this way. */
export type Damage = (intact: Intact) => Damaged | null;

type Change = (token: Token, index: number) => string;

const changed = ({ tokens }: Intact, change: Change): string => tokens.map(change).join('');
const isQuoted = ({ kind }: Token): boolean => kind === 'text' || kind === 'name';
const same: Change = ({ text }) => text;

/** The places of tokens that pass a test. */
const placesOf = (tokens: readonly Token[], test: (token: Token, index: number) => boolean): readonly number[] =>
  tokens.flatMap((token, index) => (test(token, index) ? [index] : []));

/** Changes one token that passes a test. */
function oneOf(intact: Intact, test: (token: Token, index: number) => boolean, change: Change): Damaged | null {
  const place = intact.rng.one(placesOf(intact.tokens, test));
  if (place === undefined) return null;
  return { raw: changed(intact, (token, index) => (index === place ? change(token, index) : token.text)) };
}

const inner = (text: string): string => text.slice(1, -1);
const nextOf = (tokens: readonly Token[], index: number): Token | undefined =>
  tokens.slice(index + 1).find(({ kind }) => kind !== 'space');
const lastOf = (tokens: readonly Token[], index: number): Token | undefined =>
  tokens.slice(0, index).findLast(({ kind }) => kind !== 'space');

const ifChanged = (intact: Intact, raw: string): Damaged | null => (raw === intact.text ? null : { raw });

const pythonText = (content: string): string => {
  const quote = content.includes("'") && !content.includes('"') ? '"' : "'";
  const escaped = content
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
    .replaceAll(quote, `\\${quote}`);
  return `${quote}${escaped}${quote}`;
};
const PYTHON: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

const PROSE = ['Here is the result:', 'Sure! I will use [the tool] with {these} arguments.', 'Answer (see [1]):'];
const AFTER = ['Let me know if you need more.', 'I hope this helps!', '</tool_call>', '<|im_end|>', '(done)'];
const DRAFTS = ['Maybe {"draft": true}? No.', 'The user wants [1, 2].', 'Think: a, b.\nThen c.'];

export const SYNTAX_DAMAGES: Readonly<Record<string, Damage>> = {
  'valid JSON': ({ text }) => ({ raw: text }),
  'trailing comma': (intact) =>
    oneOf(
      intact,
      ({ kind }, index) => kind === 'close' && lastOf(intact.tokens, index)?.kind !== 'open',
      ({ text }) => `,${text}`,
    ),
  'single quotes, escaped': (intact) => ({
    raw: changed(intact, (token) =>
      isQuoted(token) ? `'${inner(token.text).replaceAll('\\"', '"').replaceAll("'", "\\'")}'` : token.text,
    ),
  }),
  'single quotes, apostrophes inside': (intact) => ({
    raw: changed(intact, (token) => (isQuoted(token) ? `'${inner(token.text).replaceAll('\\"', '"')}'` : token.text)),
  }),
  'literals and texts of Python': (intact) => ({
    raw: changed(intact, (token) =>
      isQuoted(token) ? pythonText(token.content) : token.kind === 'literal' ? (PYTHON[token.text] ?? '') : token.text,
    ),
  }),
  'names without quotes': (intact) => ({
    raw: changed(intact, (token) =>
      token.kind === 'name' && /^\w+$/.test(token.content) ? token.content : token.text,
    ),
  }),
  'values without quotes': (intact) =>
    oneOf(
      intact,
      (token, index) =>
        token.kind === 'text' && lastOf(intact.tokens, index)?.kind === 'colon' && /^[a-z]+$/i.test(token.content),
      ({ content }) => content,
    ),
  comments: (intact) => {
    const { rng, isPretty } = intact;
    const comment = rng.one(isPretty ? ['// the name', '# the name', '/* "a": 1 */'] : ['/* note */', '/* "a": 1, */']);
    return oneOf(
      intact,
      ({ kind }) => kind === 'comma',
      ({ text }) => `${text} ${comment ?? ''}`,
    );
  },
  fenced: ({ text, rng }) => ({ raw: `\`\`\`${rng.one(['json', '', 'JSON', 'javascript'])}\n${text}\n\`\`\`` }),
  'fenced within prose': ({ text, rng }) => ({
    raw: `${rng.one(PROSE)}\n\n\`\`\`json\n${text}\n\`\`\`\n\n${rng.one(AFTER)}`,
  }),
  'within prose': ({ text, rng }) => ({ raw: `${rng.one(PROSE)}\n${text}\n${rng.one(AFTER)}` }),
  'text after': ({ text, rng }) => ({ raw: `${text}${rng.one(['\n', '\n\n', ' '])}${rng.one(AFTER)}` }),
  'after thoughts': ({ text, rng }) => ({
    raw: `${rng.one(['<think>', '<thinking>', ''])}${rng.one(DRAFTS)}</think>\n${text}`.replace(
      /^<thinking>([\s\S]*?)<\/think>/,
      '<thinking>$1</thinking>',
    ),
  }),
  'raw line breaks and tabs': (intact) =>
    ifChanged(
      intact,
      changed(intact, (token) =>
        token.kind === 'text'
          ? token.text.replaceAll(
              /(?<!\\)((?:\\\\)*)\\([nt])/g,
              (_, before: string, c: string) => `${before}${c === 'n' ? '\n' : '\t'}`,
            )
          : token.text,
      ),
    ),
  'paths of Windows, escaped half': (intact) =>
    ifChanged(
      intact,
      changed(intact, (token) =>
        token.kind === 'text' && /^[A-Za-z]:\\/.test(token.content) ? `"${token.content}"` : token.text,
      ),
    ),
  'patterns, escaped half': (intact) =>
    ifChanged(
      intact,
      changed(intact, (token) =>
        token.kind === 'text' && /\\[^\\]/.test(token.content) && !/^[A-Za-z]:\\/.test(token.content)
          ? `"${token.content}"`
          : token.text,
      ),
    ),
  'escaped once more': ({ text }) => ({ raw: inner(JSON.stringify(text)) }),
  'a text of JSON': ({ text }) => ({ raw: JSON.stringify(text) }),
  'quotes inside, not escaped': (intact) =>
    ifChanged(
      intact,
      changed(intact, (token) =>
        token.kind === 'text' ? `"${inner(token.text).replaceAll('\\"', '"')}"` : token.text,
      ),
    ),
  'missing comma': (intact) =>
    oneOf(
      intact,
      ({ kind }, index) =>
        kind === 'comma' &&
        (intact.isPretty ||
          (/["}\]]$/.test(intact.tokens[index - 1]?.text ?? '') &&
            /^["{[]/.test(nextOf(intact.tokens, index)?.text ?? ''))),
      () => '',
    ),
  'comma too many': (intact) =>
    oneOf(
      intact,
      ({ kind }, index) => kind === 'comma' && nextOf(intact.tokens, index)?.kind === 'name',
      () => ',,',
    ),
  'missing colon': (intact) =>
    oneOf(
      intact,
      ({ kind }) => kind === 'colon',
      () => ' ',
    ),
  'missing last brackets': (intact) => {
    const closers =
      intact.tokens.length - 1 - intact.tokens.findLastIndex(({ kind }) => kind !== 'close' && kind !== 'space');
    const most = intact.tokens.slice(-closers).filter(({ kind }) => kind === 'close').length;
    let left = 1 + Math.floor(intact.rng.next() * most);
    let end = intact.tokens.length;
    while (left > 0) {
      end -= 1;
      if (intact.tokens[end]?.kind === 'close') left -= 1;
    }
    return { raw: textOf(intact.tokens.slice(0, end)).trimEnd() };
  },
  'missing bracket inside': (intact) =>
    oneOf(
      intact,
      ({ kind, depth }, index) => kind === 'close' && depth > 1 && nextOf(intact.tokens, index)?.kind !== 'close',
      () => '',
    ),
  'bracket too many': (intact) => {
    const last = intact.tokens.at(-1)?.text ?? '';
    return { raw: intact.text + intact.rng.one([last, `\n${last}`, '}', ']']) };
  },
  'wrong bracket': (intact) =>
    oneOf(
      intact,
      ({ kind, depth }) => kind === 'close' && depth > 1,
      ({ text }) => (text === '}' ? ']' : '}'),
    ),
  'missing closing quote': (intact) =>
    oneOf(
      intact,
      (token, index) => token.kind === 'text' && lastOf(intact.tokens, index)?.kind === 'colon',
      ({ text }) => text.slice(0, -1),
    ),
  'missing opening quote': (intact) =>
    oneOf(
      intact,
      (token, index) => token.kind === 'text' && token.content !== '' && lastOf(intact.tokens, index)?.kind === 'colon',
      ({ text }) => text.slice(1),
    ),
  'missing quote of a name': (intact) => {
    const isFirst = intact.rng.chance(0.5);
    return oneOf(
      intact,
      ({ kind }) => kind === 'name',
      ({ text }) => (isFirst ? text.slice(1) : text.slice(0, -1)),
    );
  },
  'missing first bracket': ({ text }) => ({ raw: text.slice(1).trimStart() }),
  'typographic quotes': (intact) => ({
    raw: changed(intact, (token) => (isQuoted(token) ? `“${inner(token.text)}”` : token.text)),
  }),
  'quotes of JavaScript': (intact) =>
    oneOf(
      intact,
      ({ kind, content }) => kind === 'text' && !content.includes('`') && !content.includes('\\'),
      ({ content }) => `\`${content}\``,
    ),
  'joined texts': (intact) =>
    oneOf(
      intact,
      ({ kind, content }) => kind === 'text' && /^[\w ,.;]{6,}$/.test(content),
      ({ content }) => `"${content.slice(0, 3)}" + "${content.slice(3)}"`,
    ),
  'texts in three quotes': (intact) =>
    oneOf(
      intact,
      ({ kind, content }) => kind === 'text' && content.includes('\n') && !/\\|"$|^"/.test(content),
      ({ content }) => `"""${content}"""`,
    ),
  'entities of HTML': ({ text }) => ({
    raw: text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  }),
  'escapes of JavaScript': (intact) =>
    ifChanged(
      intact,
      changed(intact, (token) => (token.kind === 'text' ? token.text.replaceAll("'", "\\'") : token.text)),
    ),
  'a number that is none': (intact) => {
    const word = intact.rng.one(['NaN', 'Infinity', '-Infinity', 'undefined', 'nan']) ?? 'NaN';
    const damaged = oneOf(
      intact,
      ({ kind }) => kind === 'number',
      () => word,
    );
    return damaged === null ? null : { ...damaged, isLost: true };
  },
  'an ellipsis': (intact) => {
    const places = placesOf(intact.tokens, ({ kind, depth }, index) => kind === 'comma' && depth > 0 && index > 0);
    const place = intact.rng.one(places);
    if (place === undefined) return null;
    const dots = intact.rng.one(['...', '…', '"..." ...']) ?? '...';
    const end = intact.tokens.findIndex(
      ({ kind, depth }, at) => at > place && kind === 'close' && depth === intact.tokens[place]?.depth,
    );
    return {
      raw: `${textOf(intact.tokens.slice(0, place))}, ${dots}${textOf(intact.tokens.slice(end))}`,
      isLost: true,
    };
  },
  cut: ({ text, rng }) => {
    const raw = text.slice(0, 1 + Math.floor(rng.next() * (text.length - 1)));
    return { raw, isLost: /[^\s}\]]/.test(text.slice(raw.length)) };
  },
  'written twice': ({ text, rng }) => ({ raw: `${text}${rng.one(['\n', '\n\nAgain:\n', ''])}${text}` }),
  'two documents': ({ text }) => ({ raw: `${text}\n{"other": {"document": 1}}`, isLost: true }),
  refusal: ({ rng }) => ({
    raw: rng.one(["I'm sorry, I cannot do that.", '', 'null pointer', '<error/>', 'Error: 503', 'pending']) ?? '',
    isLost: true,
  }),
};

export const unchanged = (intact: Intact): string => changed(intact, same);
