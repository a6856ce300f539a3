import { compile, type FormatCallback, type HtmlToTextOptions } from 'html-to-text';

export interface PageText {
  readonly title: string;
  /** The text of the page; links are numbered in brackets. */
  readonly text: string;
  /** Addresses of the links, by their number from 1. */
  readonly links: readonly string[];
}

/** Limits against pages that try to keep a reader busy. */
export const HTML_MAX_CHARS = 3 << 20;
const DEPTH_MAX = 256;
const CHILDREN_MAX = 100_000;
const LINKS_MAX = 300;
const TITLE_MAX_CHARS = 300;

const SKIPPED = [
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'canvas',
  'iframe',
  'object',
  'img',
  'button',
  'select',
];

const partOf = (html: string): string => (/<main[\s>]/i.test(html) ? 'main' : 'body');

function optionsWith(part: string, numbered: FormatCallback): HtmlToTextOptions {
  return {
    wordwrap: false,
    baseElements: { selectors: [part], returnDomByDefault: true },
    limits: { maxInputLength: HTML_MAX_CHARS, maxDepth: DEPTH_MAX, maxChildNodes: CHILDREN_MAX, ellipsis: '…' },
    formatters: { numbered },
    selectors: [
      { selector: 'a', format: 'numbered' },
      ...SKIPPED.map((selector) => ({ selector, format: 'skip' })),
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
      { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
    ],
  };
}

/** The readable text of an HTML page. It runs no scripts, and requests nothing else. Pure. */
export function pageText(html: string, address: URL): PageText {
  const base = baseOf(html, address);
  const numbers = new Map<string, number>();
  const numbered: FormatCallback = (element, walk, builder) => {
    walk(element.children, builder);
    const number = numberOf(String((element.attribs as Record<string, string>)['href'] ?? ''), base, numbers);
    if (number !== null) builder.addInline(` [${number}]`, { noWordTransform: true });
  };
  const text = compile(optionsWith(partOf(html), numbered))(html)
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
  return { title: titleOf(html), text, links: [...numbers.keys()] };
}

function numberOf(href: string, base: URL, numbers: Map<string, number>): number | null {
  if (href === '' || href.startsWith('#') || !URL.canParse(href, base)) return null;
  const url = new URL(href, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  const known = numbers.get(url.href);
  if (known !== undefined) return known;
  if (numbers.size >= LINKS_MAX) return null;
  numbers.set(url.href, numbers.size + 1);
  return numbers.size;
}

const HEAD_CHARS = 100_000;

function baseOf(html: string, address: URL): URL {
  const href = /<base\b[^>]{0,500}?\bhref\s*=\s*["']?([^"'\s>]{1,2000})/i.exec(html.slice(0, HEAD_CHARS))?.[1];
  return href !== undefined && URL.canParse(href, address) ? new URL(href, address) : address;
}

function titleOf(html: string): string {
  const raw = /<title\b[^>]{0,200}>([^<]{0,2000})/i.exec(html.slice(0, HEAD_CHARS))?.[1] ?? '';
  const plain = compile({ wordwrap: false })(raw);
  return plain.replaceAll(/\s+/g, ' ').trim().slice(0, TITLE_MAX_CHARS).toWellFormed();
}
