/** One argument as a person reads it before they answer: complete, with no character that can hide. */
export interface ShownArgument {
  readonly name: string;
  readonly text: string;
  /** False if the value is no text: it is then shown as JSON. */
  readonly isText: boolean;
}

/**
 * Characters that a person cannot see, or that reorder others: controls, marks of direction, joiners, tags, private
 * characters and unusual spaces. Line feed and tab are shown as they are.
 */
const HIDDEN = /[^\P{C}\n\t]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;

/** The text with every hidden character written as its code: `⟨U+202E⟩`. */
export function visibleText(text: string): string {
  return text.replaceAll(HIDDEN, (hidden) => {
    const code = hidden.codePointAt(0) ?? 0;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

/** The arguments of a call, one by one. Text that is no JSON object is shown whole under an empty name. */
export function shownArguments(argumentsText: string): readonly ShownArgument[] {
  const read = parsed(argumentsText);
  if (typeof read !== 'object' || read === null || Array.isArray(read))
    return [{ name: '', text: visibleText(argumentsText), isText: false }];
  return Object.entries(read).map(([name, value]: [string, unknown]) => ({
    name: visibleText(name),
    text: visibleText(typeof value === 'string' ? value : jsonText(value)),
    isText: typeof value === 'string',
  }));
}

/** A short value in one line, a longer one in several. */
function jsonText(value: unknown): string {
  const line = JSON.stringify(value);
  return line.length <= LINE_CHARS ? line : JSON.stringify(value, null, 2);
}
const LINE_CHARS = 60;

/** The JSON of a text; null if it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const SHORT_CHARS = 90;

/** The values of a call in one short line, for a folded call; empty if there are none. */
export function shortArguments(argumentsText: string | null): string {
  if (argumentsText === null) return '';
  return shortLine(
    shownArguments(argumentsText)
      .map(({ text }) => text.replaceAll(/\s+/g, ' ').trim())
      .filter((text) => text !== '')
      .join(' · '),
  );
}

/** A text in one line with at most 90 characters. */
export function shortLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= SHORT_CHARS ? line : `${line.slice(0, SHORT_CHARS - 1).trimEnd()}…`;
}
