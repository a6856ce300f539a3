export interface SplitPiece {
  readonly kind: 'text' | 'reasoning';
  readonly text: string;
}

/** The tags in which models write thoughts at the beginning of a text if their server does not separate them. */
const TAGS = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['[THINK]', '[/THINK]'],
] as const;

/** The length of the longest end of a text that may be the beginning of the tag. */
function openLength(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length -= 1)
    if (tag.startsWith(text.slice(-length))) return length;
  return 0;
}

const CLOSES: readonly string[] = TAGS.map(([, close]) => close);

/** The first closing tag of a text that has no opening one before it; null if there is none. Pure. */
export function bareCloseTag(text: string): string | null {
  const bare = TAGS.find(([open, close]) => text.includes(close) && !text.split(close, 1)[0]?.includes(open));
  return bare?.[1] ?? null;
}

export interface TextStart {
  /**
   * True if the prompt has opened the thoughts, so that the text begins within them. Without a closing tag all of the text is thoughts,
   * because the limit of tokens cut it off; the parsers `deepseek_r1` and `qwen3` of vLLM read it so too.
   */
  readonly isOpened?: boolean;
  /**
   * True if the request demands JSON. Servers that enforce it from the first token let the model write no thoughts. So after opened
   * thoughts, a text that may be JSON by its first character is split at its end: `splitDemanded` has the rule.
   */
  readonly isJson?: boolean;
}

/** The first of these tags in a text; undefined if it has none. */
function firstOf(tags: readonly string[], text: string): { readonly tag: string; readonly at: number } | undefined {
  return tags
    .map((tag) => ({ tag, at: text.indexOf(tag) }))
    .filter(({ at }) => at >= 0)
    .toSorted((one, other) => one.at - other.at)[0];
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The first characters of JSON. */
const JSON_BEGIN = /^[[{"\-\dtfn]/;

/**
 * Splits the whole answer to a demand for JSON after opened thoughts. A text that is JSON is the answer. In any other, a closing tag ends
 * the thoughts. Without one, an object or a list is the answer, because the limit of tokens cut it off, and any other text is thoughts. Pure.
 */
function splitDemanded(text: string): readonly SplitPiece[] {
  if (isJsonText(text)) return [{ kind: 'text', text }];
  const close = firstOf(CLOSES, text);
  if (close === undefined) return [{ kind: /^\s*[[{]/.test(text) ? 'text' : 'reasoning', text }];
  const answer = text.slice(close.at + close.tag.length).trimStart();
  return [
    { kind: 'reasoning', text: text.slice(0, close.at) },
    { kind: 'text', text: answer },
  ];
}

/**
 * Splits the pieces of a text into the thoughts at its beginning, in tags, and the answer. Holds back what may be a part
 * of a tag. Mutable because a tag may span several pieces.
 */
export class ThoughtSplitter {
  #state: 'start' | 'whole' | 'thoughts' | 'after' | 'answer' = 'start';
  #closes = CLOSES;
  /** Blanks at the beginning, apart from `#held`, so that each is read once. */
  #blanks = '';
  #held = '';
  #isOpened: boolean;
  readonly #isJson: boolean;

  constructor({ isOpened = false, isJson = false }: TextStart = {}) {
    this.#isOpened = isOpened;
    this.#isJson = isJson;
  }

  /** The server separates the thoughts of this text itself, so the text begins with the answer. */
  noteSeparated(): void {
    this.#isOpened = false;
  }

  /** True once all further text is the answer. */
  get isPast(): boolean {
    return this.#state === 'answer';
  }

  /** True while the splitter holds back a text that only its end can split. */
  get isHolding(): boolean {
    return this.#state === 'whole';
  }

  *take(text: string): Generator<SplitPiece> {
    if (this.#state === 'answer') {
      if (text !== '') yield { kind: 'text', text };
      return;
    }
    this.#held += text;
    if (this.#state === 'start') this.#begin();
    if (this.#state === 'thoughts') yield* this.#think();
    if (this.#state === 'after') this.#held = this.#held.trimStart();
    if (this.#state === 'after' && this.#held !== '') this.#state = 'answer';
    if (this.#state === 'answer') yield* this.end();
  }

  #begin(): void {
    const begun = this.#held.trimStart();
    this.#blanks += this.#held.slice(0, this.#held.length - begun.length);
    this.#held = begun;
    const tag = TAGS.find(([open]) => begun.startsWith(open));
    if (tag !== undefined) {
      this.#closes = [tag[1]];
      this.#held = begun.slice(tag[0].length);
      this.#state = 'thoughts';
    } else if (!TAGS.some(([open]) => open.startsWith(begun))) {
      this.#held = this.#blanks + begun;
      this.#state = this.#stateAt(begun);
    }
    if (this.#state !== 'start') this.#blanks = '';
  }

  /** The state at the beginning of a text without an opening tag. */
  #stateAt(begun: string): 'answer' | 'thoughts' | 'whole' {
    if (!this.#isOpened) return 'answer';
    return this.#isJson && JSON_BEGIN.test(begun) ? 'whole' : 'thoughts';
  }

  *#think(): Generator<SplitPiece> {
    const found = firstOf(this.#closes, this.#held);
    const partial = Math.max(...this.#closes.map((close) => openLength(this.#held, close)));
    const end = found?.at ?? this.#held.length - partial;
    if (end > 0) yield { kind: 'reasoning', text: this.#held.slice(0, end) };
    this.#held = this.#held.slice(end + (found?.tag.length ?? 0));
    if (found !== undefined) this.#state = 'after';
  }

  /** The rest that was held back, at the end of the text. */
  *end(): Generator<SplitPiece> {
    const text = this.#blanks + this.#held;
    this.#blanks = '';
    this.#held = '';
    for (const piece of this.#rest(text)) if (piece.text !== '') yield piece;
  }

  #rest(text: string): readonly SplitPiece[] {
    const isOpened = this.#isOpened && (this.#state === 'start' || this.#state === 'whole');
    if (isOpened && this.#isJson) return splitDemanded(text);
    return [{ kind: isOpened || this.#state === 'thoughts' ? 'reasoning' : 'text', text }];
  }
}
