/** A piece of a line. */
export type Span =
  | { readonly kind: 'text' | 'code' | 'bold'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly address: string };

/** A block of code without its fences, or a line of text. */
export type MarkdownPart =
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'line'; readonly spans: readonly Span[] };

/** Code, bold text and links of a line. Each alternative excludes its own end, so that no text is matched twice. */
const INLINE = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\[([^\]\n]+)\]\((https?:\/\/[^\s()<>"]+)\)/g;

function spanOf([, code, bold, words = '', address = '']: readonly (string | undefined)[]): Span {
  if (code !== undefined) return { kind: 'code', text: code };
  return bold === undefined ? { kind: 'link', text: words, address } : { kind: 'bold', text: bold };
}

function spansOf(line: string): readonly Span[] {
  const [, heading] = /^#{1,6} +(.+)$/.exec(line) ?? [];
  if (heading !== undefined) return [{ kind: 'bold', text: heading }];
  const spans: Span[] = [];
  let at = 0;
  const addText = (until: number): void => {
    if (until > at) spans.push({ kind: 'text', text: line.slice(at, until) });
  };
  for (const match of line.matchAll(INLINE)) {
    addText(match.index);
    spans.push(spanOf(match));
    at = match.index + match[0].length;
  }
  addText(line.length);
  return spans;
}

/**
 * The parts of a Markdown text that messengers show: blocks of code, and lines with code, bold text, headings and links to
 * the web. Everything else, HTML above all, is text as it is written. Pure.
 */
export function readMarkdown(markdown: string): readonly MarkdownPart[] {
  const parts: MarkdownPart[] = [];
  let code: string[] | null = null;
  for (const line of markdown.split('\n')) {
    const isFence = /^\s*```/.test(line);
    if (isFence && code !== null) {
      parts.push({ kind: 'code', text: code.join('\n') });
      code = null;
    } else if (isFence) code = [];
    else if (code === null) parts.push({ kind: 'line', spans: spansOf(line) });
    else code.push(line);
  }
  if (code !== null) parts.push({ kind: 'code', text: code.join('\n') });
  return parts;
}
