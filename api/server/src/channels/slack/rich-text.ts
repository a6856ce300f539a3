import { readMarkdown, type Span } from '../text/read-markdown.ts';

interface TextElement {
  readonly type: 'text';
  readonly text: string;
  readonly style?: { readonly bold?: true; readonly code?: true };
}

interface LinkElement {
  readonly type: 'link';
  readonly text: string;
  readonly url: string;
}

interface Section {
  readonly type: 'rich_text_section' | 'rich_text_preformatted';
  readonly elements: readonly (TextElement | LinkElement)[];
}

/** A block of Block Kit whose texts Slack shows as they are: it reads no formatting, mention or link in them. */
interface RichText {
  readonly type: 'rich_text';
  readonly elements: readonly Section[];
}

/** Slack refuses blocks that together have about 13,200 characters of JSON or more; 1,000 are left for buttons. */
const JSON_MAX_CHARS = 12_000;

function elementOf(span: Span): TextElement | LinkElement {
  if (span.kind === 'link') return { type: 'link', text: span.text, url: span.address };
  const element = { type: 'text', text: span.text } as const;
  if (span.kind === 'text') return element;
  return { ...element, style: span.kind === 'bold' ? { bold: true } : { code: true } };
}

const isPlain = (element: TextElement | LinkElement | undefined): element is TextElement =>
  element?.type === 'text' && element.style === undefined;

/** Joins neighbours without a style, because each element takes room. */
function joined(elements: readonly (TextElement | LinkElement)[]): readonly (TextElement | LinkElement)[] {
  const kept: (TextElement | LinkElement)[] = [];
  for (const element of elements) {
    const last = kept.at(-1);
    if (isPlain(element) && isPlain(last)) kept[kept.length - 1] = { ...last, text: last.text + element.text };
    else kept.push(element);
  }
  return kept;
}

function sectionsOf(markdown: string): readonly Section[] {
  const sections: Section[] = [];
  let lines: (TextElement | LinkElement)[] = [];
  const endLines = (): void => {
    // The break before a block of code is the block's own.
    const elements = joined(lines.slice(0, -1));
    if (elements.length > 0) sections.push({ type: 'rich_text_section', elements });
    lines = [];
  };
  for (const part of readMarkdown(markdown)) {
    if (part.kind === 'line') lines.push(...part.spans.map(elementOf), { type: 'text', text: '\n' });
    else {
      endLines();
      // Slack refuses an empty text.
      const text = part.text === '' ? ' ' : part.text;
      sections.push({ type: 'rich_text_preformatted', elements: [{ type: 'text', text }] });
    }
  }
  endLines();
  return sections;
}

/** A text as it is written. Pure. */
export function plainText(text: string): RichText {
  const elements = [{ type: 'text', text: text === '' ? ' ' : text }] as const;
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] };
}

/** A Markdown text with its formatting; without it if the formatted text is too long for Slack. Pure. */
export function richText(markdown: string): RichText {
  const elements = sectionsOf(markdown);
  const formatted: RichText = { type: 'rich_text', elements };
  return elements.length > 0 && JSON.stringify(formatted).length <= JSON_MAX_CHARS ? formatted : plainText(markdown);
}
