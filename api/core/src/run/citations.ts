/** A link to the web in a text: `name` of `[name](url)`, or null for a bare address. */
export interface WebLink {
  readonly start: number;
  readonly end: number;
  readonly url: string;
  readonly name: string | null;
}

/** Maximum number of links in one text; the rest stays text. */
export const LINKS_MAX = 200;
const URL_MAX_CHARS = 2_048;

/**
 * A named link or a bare address. The alternatives begin with different characters and have bounded lengths, so
 * matching takes linear time. An address may contain a pair of parentheses.
 */
const ADDRESS = String.raw`https?:\/\/(?:[^\s<>"\x60|\\^{}[\]()]|\([^\s<>()]{0,200}\)){1,${URL_MAX_CHARS}}`;
const LINK = new RegExp(String.raw`\[([^\]\n]{1,200})\]\((${ADDRESS})\)|${ADDRESS}`, 'gi');
/** Punctuation after an address. */
const SENTENCE_END = /[.,;:!?'*_~]+$/;

/** The links to the web in a text, in order. Pure. */
export function webLinks(text: string): readonly WebLink[] {
  const links: WebLink[] = [];
  for (const match of text.matchAll(LINK)) {
    if (links.length === LINKS_MAX) break;
    const [whole, name, named] = match;
    const url = named ?? whole.replace(SENTENCE_END, '');
    if (!URL.canParse(url)) continue;
    const length = named === undefined ? url.length : whole.length;
    links.push({ start: match.index, end: match.index + length, url, name: name ?? null });
  }
  return links;
}

/** A key that two addresses of the same page share: without fragment and trailing slash. Pure. */
export function pageKey(url: string): string {
  if (!URL.canParse(url)) return url;
  const { protocol, host, pathname, search } = new URL(url);
  return `${protocol}//${host}${pathname.replace(/\/$/, '')}${search}`;
}

/** The pages among `opened` that a text links to, each once, in the order of the text. Pure. */
export function citedPages<P extends { readonly url: string }>(text: string, opened: readonly P[]): readonly P[] {
  const pages = new Map(opened.toReversed().map((page) => [pageKey(page.url), page]));
  const keys = new Set(webLinks(text).map(({ url }) => pageKey(url)));
  return [...keys].flatMap((key) => pages.get(key) ?? []);
}
