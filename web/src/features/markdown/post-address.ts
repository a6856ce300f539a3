const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
/** The address of a post of this village's board, with or without its host. All lengths are bounded, against slow matches. */
const POST = `(?:https?:\\/\\/[^\\s/?#()\\[\\]]{1,255})?\\/?\\?(?:[\\w.-]{1,40}=[^\\s&#()\\[\\]]{0,200}&){0,8}post=(${UUID})(?:&[^\\s()\\[\\]]{0,500})?`;
const ALL_POSTS = new RegExp(POST, 'gi');
const WHOLE = new RegExp(`^${POST}$`, 'i');

/** The id of the post that an address names; null for another address. */
export const postIdOf = (address: string): string | null => WHOLE.exec(address)?.[1]?.toLowerCase() ?? null;

type PostPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'post'; readonly postId: string; readonly text: string };

/** Plain text split at the addresses of posts. */
export function splitAtPosts(text: string): readonly PostPart[] {
  const parts: PostPart[] = [];
  let end = 0;
  for (const match of text.matchAll(ALL_POSTS)) {
    if (match.index > end) parts.push({ kind: 'text', text: text.slice(end, match.index) });
    parts.push({ kind: 'post', postId: (match[1] ?? '').toLowerCase(), text: 'the post' });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ kind: 'text', text: text.slice(end) });
  return parts;
}
