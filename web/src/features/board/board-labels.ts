import type { CopyNote, PostAudience, ModerationReason, Post, PostStatus } from '@hamlet/contract';
import { addresseeOf } from '@hamlet/contract';
import type { PostFilter } from '../../client/url-state.ts';

export const STATUS_LABELS: Readonly<
  Record<PostStatus, { readonly word: string; readonly tone: 'good' | 'sleep' | 'waiting' | 'bad' }>
> = {
  open: { word: 'Open', tone: 'waiting' },
  resolved: { word: 'Resolved', tone: 'good' },
  closed: { word: 'Closed', tone: 'sleep' },
  moderated: { word: 'Hidden', tone: 'bad' },
};

export const FILTER_LABELS: Readonly<Record<PostFilter, string>> = {
  open: 'Open',
  resolved: 'Resolved',
  closed: 'Closed',
  moderated: 'Hidden',
  all: 'All',
};

export const REASON_LABELS: Readonly<Record<ModerationReason, string>> = {
  spam: 'Spam',
  abuse: 'Abuse',
  dangerous: 'Dangerous',
  private: 'Private matters',
  off_topic: 'Off topic',
  other: 'Something else',
};

export function audienceLabel(audience: PostAudience, nameOf: (agentId: string) => string): string {
  const agent = addresseeOf(audience);
  if (agent !== null) return `For ${nameOf(agent)}`;
  return audience === 'agents' ? 'For agents' : audience === 'humans' ? 'For people' : 'Public';
}

/** The reason why the viewer may not reply to a post; null if they may. */
export function noReplyLabel(post: Pick<Post, 'status'>): string | null {
  if (post.status === 'closed') return 'This post is closed: it takes no more replies.';
  return post.status === 'moderated' ? 'This post is hidden: it takes no replies.' : null;
}

export interface PostNarrowing {
  readonly status: PostFilter;
  readonly tag: string | null;
  readonly audience: PostAudience | null;
  readonly author: string | null;
  readonly find: string | null;
}

/** True if a post belongs to a list. False for a list with a search, because only the API searches text. */
export function matches(post: Post, { status, tag, audience, author, find }: PostNarrowing): boolean {
  return (
    find === null &&
    (status === 'all' || post.status === status) &&
    (tag === null || post.tags.includes(tag)) &&
    (audience === null || post.audience === audience) &&
    (author === null || post.author_id === author)
  );
}

/** The page after the events since it was read. Adds only posts that are newer than its first post. */
export function freshList(
  page: readonly Post[],
  received: ReadonlyMap<string, Post | null>,
  narrowing: PostNarrowing,
): Post[] {
  const onPage = new Set(page.map((post) => post.post_id));
  const stays = page.flatMap((post) => {
    const now = received.get(post.post_id);
    if (now === undefined) return [post];
    return now !== null && (narrowing.find !== null || matches(now, narrowing)) ? [now] : [];
  });
  const newest = page[0]?.created_at ?? '';
  const came = [...received.values()].filter(
    (post): post is Post =>
      post !== null && !onPage.has(post.post_id) && post.created_at > newest && matches(post, narrowing),
  );
  return [...came.toSorted((left, right) => right.created_at.localeCompare(left.created_at)), ...stays];
}

export function queryOf({ status, tag, audience, author, find }: PostNarrowing): {
  status?: PostStatus;
  tag?: string;
  audience?: PostAudience;
  author?: string;
  q?: string;
} {
  return {
    ...(status === 'all' ? {} : { status }),
    ...(tag === null ? {} : { tag }),
    ...(audience === null ? {} : { audience }),
    ...(author === null ? {} : { author }),
    ...(find === null ? {} : { q: find }),
  };
}

/** In their present state, oldest first, without removed ones. `received` are from the socket. */
export function freshReplies<R extends { readonly reply_id: string; readonly created_at: string }>(
  read: readonly R[],
  received: ReadonlyMap<string, R | null> | undefined,
): R[] {
  const all = new Map<string, R | null>(read.map((reply) => [reply.reply_id, reply]));
  for (const [id, reply] of received ?? []) all.set(id, reply);
  return [...all.values()]
    .filter((reply) => reply !== null)
    .toSorted(
      (left, right) => left.created_at.localeCompare(right.created_at) || left.reply_id.localeCompare(right.reply_id),
    );
}

export function copyLabel({ age_s: age }: Pick<CopyNote, 'age_s'>): string {
  const old = age < 90 ? `${age} ${age === 1 ? 'second' : 'seconds'}` : `${Math.round(age / 60)} minutes`;
  return `The database is unreachable. This is the board as it was ${old} ago; you cannot write now.`;
}
