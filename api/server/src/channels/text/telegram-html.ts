import { readMarkdown, type MarkdownPart, type Span } from './read-markdown.ts';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '');

function htmlOfSpan(span: Span): string {
  const text = escaped(span.text);
  switch (span.kind) {
    case 'text':
      return text;
    case 'code':
      return `<code>${text}</code>`;
    case 'bold':
      return `<b>${text}</b>`;
    case 'link':
      return `<a href="${escaped(span.address)}">${text}</a>`;
  }
}

const htmlOf = (part: MarkdownPart): string =>
  part.kind === 'code' ? `<pre>${escaped(part.text)}</pre>` : part.spans.map(htmlOfSpan).join('');

export const telegramHtml = (markdown: string): string => readMarkdown(markdown).map(htmlOf).join('\n');
