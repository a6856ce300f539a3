import { hasRawPaths, unescaped } from './escapes.ts';
import { Fault } from './fault.ts';
import {
  admitsElement,
  admitsName,
  elementGuide,
  guideFor,
  isNamed,
  namesOf,
  propertyGuide,
  type Guide,
} from '../guide.ts';
import { setOwn } from '../numeral.ts';
import { isEndAt, isKeyAt, isQuote, kindsOf, matchesAt, readQuoted, type Role, type TextRules } from './quoted-text.ts';
import type { RepairAction } from '../repair.ts';
import { LEVELS_MAX, type Attempt, type Lenient, type LenientOptions } from './lenient.ts';
import { Nesting, type Closer, type Frame } from './nesting.ts';
import { meantByWord } from './words.ts';

const BRACKET_ACTIONS = ['brackets_added', 'brackets_removed', 'brackets_replaced'] as const;
const SPACES = /[\s\uFEFF\u200B]*/y;
const WORD = /[^\s,:{}[\]"'“”`/#]+/y;
const NAME = /[A-Za-z_$][\w$.-]*|\d+/y;
const ROOT_GOES_ON = /\}\s*,\s*["'“][^"'“”\\\n]{1,100}["'”]\s*:/y;
const LINE_MAX_CHARS = 500;
const LOST_OPENING = /((?:[^"'\n{}[\]\\]|\\.){1,200})"/y;
/** Values without quotes, and texts that were cut. */
const WITHOUT_QUOTES = /^(?:-?\d[\d.eE+-]*|true|false|null|none)\s*(?:[,}\]]|$)|,\s*$/i;
const WHOLE_WORD = /^(?:true|false|null|none)$/i;
const VALUE_AHEAD = /["'“‘«{[\d-]|true|false|null|True|False|None/y;

/**
 * Reads one document that is almost JSON. Each departure is a repair that leaves no doubt, or a `Fault`. Time is
 * linear: a look-ahead reads at most a fixed number of characters, or each character once. Stateful: for one use.
 */
class LenientParser {
  readonly #text: string;
  readonly #options: LenientOptions;
  readonly #rules: TextRules;
  readonly #actions = new Set<RepairAction>();
  readonly #open = new Nesting();
  #at: number;
  #lineStart = 0;
  #indent = 0;
  #missing = 0;
  /** True if a comma preceded the end of a list or an object that lacks its bracket. */
  #hasComma = false;

  constructor(text: string, options: LenientOptions) {
    this.#text = text;
    this.#options = options;
    this.#at = options.start;
    this.#rules = {
      text,
      areQuotesInner: options.areQuotesInner,
      hasRawPaths: hasRawPaths(text),
      act: (action) => void this.#actions.add(action),
      closers: () => this.#open.closers(),
    };
  }

  read(): Lenient {
    const { opener, guide } = this.#options;
    if (opener !== null) this.#actions.add('brackets_added');
    const node = opener === null ? this.#value(guide, 'member') : this.#container(opener, guide);
    const isAtValue = !/[}\]]\s*$/.test(this.#text.slice(-LINE_MAX_CHARS));
    return {
      node,
      end: this.#at,
      actions: this.#actions,
      missing: this.#missing,
      isAtValue,
      isUnsure: this.#isUnsure(),
    };
  }

  get changesBrackets(): boolean {
    return BRACKET_ACTIONS.some((action) => this.#actions.has(action));
  }

  /** True if an added bracket may belong elsewhere. The last bracket of a text may be that of the whole. */
  #isUnsure(): boolean {
    const opener = this.#options.opener ?? this.#text[this.#options.start];
    const root = opener === '{' ? '}' : ']';
    return this.#open.isUnsure(this.#missing > 0 && this.#text.trimEnd().endsWith(root) ? root : null);
  }

  #fault(why: string, at = this.#at): never {
    throw new Fault(why, this.#text, at);
  }

  /** Skips white space and comments. */
  #skip(): string | undefined {
    for (;;) {
      const from = this.#at;
      SPACES.lastIndex = from;
      SPACES.test(this.#text);
      this.#at = SPACES.lastIndex;
      this.#noteLine(from);
      const end = this.#commentEnd();
      if (end === null) return this.#text[this.#at];
      this.#actions.add('comments_removed');
      this.#at = end;
    }
  }

  #noteLine(from: number): void {
    const line = this.#at === from ? -1 : this.#text.slice(from, this.#at).lastIndexOf('\n');
    if (line < 0) return;
    this.#lineStart = this.#at;
    this.#indent = this.#at - (from + line + 1);
  }

  #commentEnd(): number | null {
    const char = this.#text[this.#at];
    const next = this.#text[this.#at + 1];
    if (char === '#' || (char === '/' && next === '/')) {
      const end = this.#text.indexOf('\n', this.#at);
      return end < 0 ? this.#text.length : end;
    }
    if (char !== '/' || next !== '*') return null;
    const end = this.#text.indexOf('*/', this.#at + 2);
    return end < 0 ? this.#fault('the comment does not end') : end + 2;
  }

  #value(guide: Guide | null, role: Role): unknown {
    this.#hasComma = false;
    const char = this.#skip();
    if (char === undefined) this.#fault('a value is missing');
    if (char === '{' || char === '[') {
      this.#at += 1;
      return this.#container(char, guide);
    }
    return isQuote(char) ? this.#texts(role) : this.#word(guide, role);
  }

  /** A text, or several that `+` joins. */
  #texts(role: Role): string {
    let whole = this.#quoted(role);
    while (this.#skip() === '+') {
      this.#at += 1;
      if (!isQuote(this.#skip())) this.#fault('a text must follow the sign +');
      this.#actions.add('texts_joined');
      whole += this.#quoted(role);
    }
    return whole;
  }

  #quoted(role: Role): string {
    const { value, end } = readQuoted(this.#rules, this.#at, role);
    this.#at = end;
    return value;
  }

  #word(guide: Guide | null, role: Role): unknown {
    const at = this.#at;
    const lost = this.#lostOpening(at, role);
    if (lost !== null) return lost;
    WORD.lastIndex = at;
    const word = WORD.exec(this.#text)?.[0];
    if (word === undefined) this.#fault('a value is missing');
    this.#at += word.length;
    // The rest of a number or a word may be missing.
    if (this.#at === this.#text.length && this.#open.depth > 0 && !WHOLE_WORD.test(word))
      this.#fault('the text ends within a value');
    const act = this.#rules.act;
    const value = meantByWord({ word, guide, isElement: role === 'element', text: this.#text, at, act });
    if (typeof value === 'string' && !this.#isWordEnd()) this.#fault('a text must stand in double quotes', at);
    return value;
  }

  #isWordEnd(): boolean {
    const next = this.#skip();
    return next === undefined || next === ',' || next === '}' || next === ']' || isKeyAt(this.#text, this.#at);
  }

  /** A text whose opening quote is missing, up to its closing one; null at other places. */
  #lostOpening(at: number, role: Role): string | null {
    LOST_OPENING.lastIndex = at;
    const raw = this.#options.areQuotesInner ? LOST_OPENING.exec(this.#text)?.[1] : undefined;
    if (raw === undefined || WITHOUT_QUOTES.test(raw) || !isEndAt(this.#text, at + raw.length + 1, role)) return null;
    this.#at = at + raw.length + 1;
    this.#actions.add('quotes_added');
    return unescaped({ raw, quote: '"', hasRawPaths: this.#rules.hasRawPaths, act: this.#rules.act });
  }

  #container(opener: '{' | '[', given: Guide | null): unknown {
    if (this.#open.depth >= LEVELS_MAX) this.#fault(`there are more than ${LEVELS_MAX} levels`);
    const isObject = opener === '{';
    const closer = isObject ? '}' : ']';
    const guide = guideFor(given, isObject ? {} : []);
    const frame: Frame = { closer, guide, indent: this.#indent, column: null, size: 0 };
    this.#open.open(frame);
    const value = isObject ? this.#object(frame) : this.#list(frame);
    this.#open.close();
    return value;
  }

  #object(frame: Frame): unknown {
    const value: Record<string, unknown> = {};
    let wasComma = false;
    while (!this.#isClosed(frame, wasComma)) {
      if (this.#text[this.#at] === ',') {
        if (wasComma || frame.size === 0) this.#actions.add('commas_removed');
        wasComma = true;
        this.#at += 1;
        continue;
      }
      if (!wasComma && frame.size > 0) this.#missingComma(isKeyAt(this.#text, this.#at));
      const from = this.#at;
      const name = this.#name();
      if (this.#isOutside(frame, name, from)) {
        this.#at = from;
        break;
      }
      this.#colon();
      const member = this.#value(propertyGuide(frame.guide, name), 'member');
      if (Object.hasOwn(value, name) && JSON.stringify(value[name]) !== JSON.stringify(member))
        this.#fault(`the name ${JSON.stringify(name)} has two values`, from);
      setOwn(value, name, member);
      frame.size += 1;
      wasComma = this.#hasComma;
    }
    return value;
  }

  #list(frame: Frame): unknown {
    const value: unknown[] = [];
    let wasComma = false;
    while (!this.#isClosed(frame, wasComma)) {
      if (this.#text[this.#at] === ',') {
        if (wasComma || frame.size === 0) this.#fault('an element of a list is missing');
        wasComma = true;
        this.#at += 1;
        continue;
      }
      if (this.#isListOver(frame)) break;
      if (!wasComma && frame.size > 0) this.#missingComma(matchesAt(VALUE_AHEAD, this.#text, this.#at));
      value.push(this.#value(elementGuide(frame.guide, frame.size), 'element'));
      frame.size += 1;
      wasComma = this.#hasComma;
    }
    return value;
  }

  #missingComma(isPlain: boolean): void {
    if (!isPlain) this.#fault('a comma or a bracket is missing');
    this.#actions.add('commas_added');
  }

  /** True at the end of a list or an object, which is then read. */
  #isClosed(frame: Frame, wasComma: boolean): boolean {
    this.#hasComma = wasComma;
    for (;;) {
      const char = this.#skip();
      if (char === undefined) return this.#endsHere(wasComma);
      if (char === '{' && this.#isLostElementEnd(frame)) return this.#addBracket(frame);
      if (char !== '}' && char !== ']') return false;
      if (char === frame.closer && !this.#isLowerBracket(frame, char)) return this.#endsByBracket(wasComma);
      if (this.#endsByOther(frame, char)) return true;
      this.#removeBracket();
    }
  }

  /** True if another element of a list begins in the place of a name. */
  #isLostElementEnd({ closer }: Frame): boolean {
    return closer === '}' && this.#open.parent?.closer === ']';
  }

  /** True if the bracket of another kind, or of an outer part, ends the part. */
  #endsByOther(frame: Frame, char: Closer): boolean {
    if (this.#options.areBracketsWrong && char !== frame.closer) {
      this.#actions.add('brackets_replaced');
      this.#hasComma = false;
      this.#at += 1;
      return true;
    }
    return this.#open.outer(char).length > 0 && this.#addBracket(this.#at === this.#lineStart ? null : frame);
  }

  /** False if the bracket is one too many, because more members follow. */
  #endsByBracket(wasComma: boolean): boolean {
    if (this.#isRootGoingOn()) {
      this.#removeBracket();
      return false;
    }
    if (wasComma) this.#actions.add('commas_removed');
    this.#hasComma = false;
    this.#at += 1;
    return true;
  }

  /** Ends a list or an object without its bracket. `frame`: this list or object if its end is a guess, else null. */
  #addBracket(frame: Frame | null): true {
    this.#actions.add('brackets_added');
    if (frame !== null) this.#open.noteAdded(frame.closer);
    return true;
  }

  #removeBracket(): void {
    this.#actions.add('brackets_removed');
    this.#at += 1;
  }

  #endsHere(wasComma: boolean): boolean {
    if (wasComma) this.#fault('the text ends after a comma');
    this.#missing += 1;
    return this.#addBracket(null);
  }

  /** True if the whole ends here by its bracket, but a name follows: the bracket is one too many. */
  #isRootGoingOn(): boolean {
    return this.#open.depth === 1 && matchesAt(ROOT_GOES_ON, this.#text, this.#at);
  }

  /** True if a bracket at the beginning of a line closes an outer part, by its column. */
  #isLowerBracket(frame: Frame, char: Closer): boolean {
    if (this.#at !== this.#lineStart || frame.indent <= this.#indent) return false;
    return this.#open.outer(char).some(({ indent }) => indent === this.#indent);
  }

  #name(): string {
    if (isQuote(this.#text[this.#at])) return this.#quoted('key');
    NAME.lastIndex = this.#at;
    const name = NAME.exec(this.#text)?.[0];
    if (name === undefined) this.#fault('a name in double quotes is missing');
    this.#at += name.length;
    if (this.#text[this.#at] === '"') this.#at += 1;
    if (this.#skip() !== ':') this.#fault('a name in double quotes is missing');
    this.#actions.add('quotes_added');
    return name;
  }

  #colon(): void {
    const char = this.#skip();
    if (char === ':') this.#at += 1;
    else if (this.#text.startsWith('=>', this.#at)) {
      this.#actions.add('colons_added');
      this.#at += 2;
    } else if (!this.#options.areQuotesInner && matchesAt(VALUE_AHEAD, this.#text, this.#at))
      this.#actions.add('colons_added');
    else this.#fault('a colon is missing');
  }

  /** True if a name belongs to an outer object, by its column or because only that has it. */
  #isOutside(frame: Frame, name: string, at: number): boolean {
    const outer = this.#open.outer('}');
    const column = at === this.#lineStart ? this.#indent : null;
    if (this.#open.isLower(frame, column)) return this.#addBracket(null);
    if (this.#options.isByName && !isNamed(frame.guide, name) && namesOf(frame.guide).length > 0)
      if (outer.some(({ guide }) => isNamed(guide, name))) return this.#addBracket(null);
    this.#open.noteMember(
      frame,
      column,
      outer.some(({ guide }) => admitsName(guide, name)),
    );
    return false;
  }

  /** True if a list whose bracket is missing ends here. */
  #isListOver(frame: Frame): boolean {
    const column = this.#at === this.#lineStart ? this.#indent : null;
    if (isKeyAt(this.#text, this.#at) && this.#open.outer('}').length > 0)
      return this.#addBracket(column === null ? frame : null);
    if (this.#open.isLower(frame, column)) return this.#addBracket(null);
    const kinds = kindsOf(this.#text[this.#at]);
    const isOuters = this.#open.outer(']').some(({ guide }) => admitsElement(guide, kinds));
    if (this.#options.isByName && !admitsElement(frame.guide, kinds) && isOuters) return this.#addBracket(null);
    this.#open.noteMember(frame, column, isOuters);
    return false;
  }
}

/** Reads the document that begins at a place. Pure. */
export function parseLeniently(text: string, options: LenientOptions): Attempt {
  const parser = new LenientParser(text, options);
  try {
    return { found: parser.read(), changesBrackets: parser.changesBrackets };
  } catch (error) {
    if (error instanceof Fault) return { found: error, changesBrackets: parser.changesBrackets };
    throw error;
  }
}
