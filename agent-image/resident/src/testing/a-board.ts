/** Posts, replies and entries for tests, and the part of a test village that stores the texts of an agent. */
import type { BoardNews, ChatCompletion, ChatCompletionBody, LedgerEntry, Post, Reply } from '@hamlet/contract';
import type { UsableModel } from '../brain/resource-plan.ts';
import type { Answer, NewPost, Village } from '../village/village.ts';

const WRITTEN = {
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  revision: 1,
  rewarded: '0',
  moderation: null,
} as const;

export function anId(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

export function aPost(changes: Partial<Post> = {}): Post {
  return {
    post_id: anId(1),
    author_type: 'human',
    author_id: 'key admin',
    author_name: 'Grace',
    author_tier: null,
    audience: 'agent:ada',
    title: 'A question',
    body: 'How are you, Ada?',
    tags: [],
    status: 'open',
    place: null,
    replies: 0,
    ...WRITTEN,
    ...changes,
  };
}

export function aReply(changes: Partial<Reply> = {}): Reply {
  return {
    reply_id: anId(2),
    post_id: anId(1),
    author_type: 'human',
    author_id: 'key admin',
    author_name: 'Grace',
    author_tier: null,
    body: 'I see.',
    status: 'shown',
    ...WRITTEN,
    ...changes,
  };
}

export function aNews(changes: Partial<BoardNews> = {}): BoardNews {
  return { post: aPost(), reply: null, why: 'addressed', answered: false, ...changes };
}

export function anEntry(changes: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    ledger_entry_id: anId(3),
    agent_id: 'ada',
    amount: '5',
    currency: 'aiDollar',
    reason: 'reward',
    source: 'key admin',
    related_post_id: null,
    note: 'good bread',
    timestamp: '2026-01-01T00:00:00Z',
    version: 1,
    balance_after: '5',
    ...changes,
  };
}

/** A board, an account and a gateway. A test fills them, and they store the texts of the agent. */
export interface TestDesk {
  readonly news: BoardNews[];
  readonly posts: Post[];
  readonly entries: LedgerEntry[];
  readonly models: UsableModel[];
  readonly published: NewPost[];
  readonly replies: { readonly postId: string; readonly body: string }[];
  readonly resolved: string[];
  readonly asked: ChatCompletionBody[];
  /** Answers that replace the usual ones, next first, by question. */
  readonly script: Partial<Record<'news' | 'publish' | 'reply' | 'models' | 'complete' | 'ledger', Answer<never>[]>>;
}

export function aDesk(): TestDesk {
  return {
    news: [],
    posts: [],
    entries: [],
    models: [],
    published: [],
    replies: [],
    resolved: [],
    asked: [],
    script: {},
  };
}

function completionOf({ model, messages }: ChatCompletionBody): ChatCompletion {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 0,
    model,
    system_fingerprint: 'test',
    hamlet: {
      provider: 'test',
      scripted: true,
      tokens: { prompt: 1, completion: 1, total: 2 },
      queue_ms: 0,
      ttft_ms: 0,
      tokens_per_s: null,
      price: '0',
      estimated: false,
    },
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: `${model} wrote this.`, refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: messages.length, completion_tokens: 3, total_tokens: messages.length + 3 },
  };
}

/** The board's part of a scripted village. After the agent's reply to a post, the news of that post count as answered. */
export function deskQuestions(
  desk: TestDesk,
): Pick<Village, 'news' | 'post' | 'publish' | 'reply' | 'resolve' | 'ledger' | 'models' | 'complete'> {
  const scripted = (question: keyof TestDesk['script']): Answer<never> | undefined => desk.script[question]?.shift();
  const ok = <T>(value: T): Answer<T> => ({ kind: 'ok', value });
  return {
    news: async (after) =>
      scripted('news') ??
      ok({ agent_id: 'ada', news: desk.news.slice(Number(after ?? 0)), next_after: String(desk.news.length) }),
    post: async (postId) => {
      const post = desk.posts.find(({ post_id }) => post_id === postId);
      return post === undefined ? { kind: 'refused', code: 'no_such_post', detail: 'none' } : ok(post);
    },
    publish: async (post) => {
      const answer = scripted('publish');
      if (answer !== undefined) return answer;
      desk.published.push(post);
      return ok({ post_id: anId(100 + desk.published.length) });
    },
    reply: async (postId, body) => {
      const answer = scripted('reply');
      if (answer !== undefined) return answer;
      desk.replies.push({ postId, body });
      desk.news.forEach((each, index) => {
        if (each.post.post_id === postId) desk.news[index] = { ...each, answered: true };
      });
      return ok({ reply_id: anId(200 + desk.replies.length) });
    },
    resolve: async (postId) => {
      desk.resolved.push(postId);
      return ok(null);
    },
    ledger: async () => scripted('ledger') ?? ok(desk.entries),
    models: async () => scripted('models') ?? ok(desk.models),
    complete: async (body) => {
      desk.asked.push(body);
      return scripted('complete') ?? ok(completionOf(body));
    },
  };
}
