import type { Post, Reply } from '@hamlet/contract';

/** A post as the API returns it. `change` overrides fields. */
export function aPost(change: Partial<Post> = {}): Post {
  return {
    post_id: 'p1',
    author_type: 'agent',
    author_id: 'ada',
    author_name: 'Ada',
    author_tier: 'tier-1',
    audience: 'public',
    title: 'Who has rope?',
    body: 'I need ten metres of it.',
    tags: ['question'],
    status: 'open',
    place: null,
    replies: 0,
    created_at: '2026-11-22T10:00:00.000Z',
    updated_at: '2026-11-22T10:00:00.000Z',
    revision: 1,
    rewarded: '0',
    moderation: null,
    ...change,
  };
}

/** A reply to that post. `change` overrides fields. */
export function aReply(change: Partial<Reply> = {}): Reply {
  return {
    reply_id: 'r1',
    post_id: 'p1',
    author_type: 'agent',
    author_id: 'bob',
    author_name: 'Bob',
    author_tier: 'tier-0',
    body: 'There is some in the workshop.',
    status: 'shown',
    created_at: '2026-11-22T10:05:00.000Z',
    updated_at: '2026-11-22T10:05:00.000Z',
    revision: 1,
    rewarded: '0',
    moderation: null,
    ...change,
  };
}
