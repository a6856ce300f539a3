import MarkdownIt, { type Token } from 'markdown-it';
import { postIdOf, splitAtPosts } from './post-address.ts';

const TAGS = [
  'p',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'ul',
  'ol',
  'li',
  'blockquote',
  'hr',
  'strong',
  'em',
  's',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
] as const;
export type MarkdownTag = (typeof TAGS)[number];
const KNOWN_TAGS: ReadonlySet<string> = new Set(TAGS);

/** A part of a text. `web` is a link to a page of the web, `post` one to a post of this village's board. */
export type MarkdownNode =
  | { readonly kind: 'text' | 'code' | 'block'; readonly text: string }
  | { readonly kind: 'break' }
  | { readonly kind: 'web'; readonly url: string; readonly name: string | null }
  | { readonly kind: 'post'; readonly postId: string; readonly text: string }
  | {
      readonly kind: 'element';
      readonly tag: MarkdownTag;
      /** The number of the first item of an ordered list; 1 for everything else. */
      readonly start: number;
      readonly align: 'left' | 'center' | 'right';
      readonly children: readonly MarkdownNode[];
    };

/** Lists and quotes that are nested deeper stay text. */
const NESTING_MAX = 24;

const parser = new MarkdownIt({ html: false, linkify: true, breaks: true, maxNesting: NESTING_MAX });
// Nothing loads an image, and definitions of links stay readable.
parser.disable(['image', 'reference']);
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
// An address is compared with the pages that the run opened, so the parser must not rewrite it.
parser.normalizeLink = (url) => url;
parser.normalizeLinkText = (url) => url;
// Every address is safe here: only `web` and `post` become links, everything else stays text.
parser.validateLink = () => true;

/** The parts of a Markdown text, finished or not: GitHub's tables and strikethrough, no raw HTML, no images. Pure. */
export const markdownTree = (text: string): readonly MarkdownNode[] => nodesOf(parser.parse(text, {}));

type Open = { readonly token: Token | null; readonly children: MarkdownNode[] };

function nodesOf(tokens: readonly Token[]): readonly MarkdownNode[] {
  const root: Open = { token: null, children: [] };
  const stack: Open[] = [root];
  for (const token of tokens) {
    const top = stack.at(-1) ?? root;
    if (token.nesting === 1) stack.push({ token, children: [] });
    else if (token.nesting === 0) top.children.push(...leavesOf(token));
    else if (stack.length > 1) {
      stack.pop();
      (stack.at(-1) ?? root).children.push(...closed(top));
    }
  }
  return root.children;
}

function leavesOf(token: Token): readonly MarkdownNode[] {
  switch (token.type) {
    case 'inline':
      return nodesOf(token.children ?? []);
    case 'fence':
    case 'code_block':
      return [{ kind: 'block', text: token.content.replace(/\n$/, '') }];
    case 'code_inline':
      return [{ kind: 'code', text: token.content }];
    case 'softbreak':
    case 'hardbreak':
      return [{ kind: 'break' }];
    case 'hr':
      return [elementOf(token, 'hr', [])];
    default:
      return splitAtPosts(token.content);
  }
}

function closed({ token, children }: Open): readonly MarkdownNode[] {
  if (token === null || token.hidden) return children;
  if (token.type === 'link_open') return [linkOf(token, children)];
  if (!isKnownTag(token.tag)) return children;
  return [elementOf(token, token.tag, token.tag === 'li' ? withCheckbox(children) : children)];
}

const isKnownTag = (tag: string): tag is MarkdownTag => KNOWN_TAGS.has(tag);

function elementOf(token: Token, tag: MarkdownTag, children: readonly MarkdownNode[]): MarkdownNode {
  const align = /right|center/.exec(String(token.attrGet('style') ?? ''))?.[0];
  return {
    kind: 'element',
    tag,
    start: Number(token.attrGet('start') ?? 1),
    align: align === 'right' || align === 'center' ? align : 'left',
    children,
  };
}

function linkOf(token: Token, children: readonly MarkdownNode[]): MarkdownNode {
  const url = String(token.attrGet('href') ?? '');
  const words = children.map(wordsOf).join('');
  const isBare = token.markup === 'linkify' || token.markup === 'autolink' || words === '';
  const postId = postIdOf(url);
  if (postId !== null) return { kind: 'post', postId, text: isBare ? 'the post' : words };
  if (/^https?:\/\//i.test(url)) return { kind: 'web', url, name: isBare ? null : words };
  return { kind: 'text', text: isBare || words === url ? url : `${words} (${url})` };
}

function wordsOf(node: MarkdownNode): string {
  if (node.kind === 'element') return node.children.map(wordsOf).join('');
  if (node.kind === 'web') return node.name ?? node.url;
  return node.kind === 'break' ? ' ' : node.text;
}

const CHECKBOX = /^\[([ xX])\] /;

/** The item of a list of tasks: `[x] ` becomes a ticked box. */
function withCheckbox(children: readonly MarkdownNode[]): readonly MarkdownNode[] {
  const [first, ...rest] = children;
  if (first?.kind === 'element') return [{ ...first, children: withCheckbox(first.children) }, ...rest];
  const mark = first?.kind === 'text' ? CHECKBOX.exec(first.text)?.[1] : undefined;
  if (first?.kind !== 'text' || mark === undefined) return children;
  return [{ kind: 'text', text: `${mark === ' ' ? '☐' : '☑'} ${first.text.replace(CHECKBOX, '')}` }, ...rest];
}
