import {
  findPost,
  findReply,
  inTransaction,
  insertFlag,
  insertPost,
  insertReply,
  judgeAgent,
  setViewer,
  revisePost,
  reviseReply,
  setHidden,
  setPostStatus,
  VILLAGE,
} from '@hamlet/store';
import type { Byline, Db, Subject, Tx } from '@hamlet/store';
import type { ModerationNote } from '@hamlet/contract';
import type { Seeded } from '@hamlet/test/env/seeded';

export const HIDDEN: ModerationNote = { reason: 'spam', note: null, by: 'admin', at: '2026-11-22T12:00:00Z' };
const AUDIENCES = ['public', 'public', 'agents', 'humans', 'agent:ada', 'agent:bob', 'agent:bo'] as const;
const TAGS = ['help', 'news', 'work'] as const;

function byline(authorType: Byline['authorType'], authorId: string): Byline {
  return { authorType, authorId, authorName: authorId, authorTier: authorType === 'agent' ? 'tier-0' : null };
}

/** Authors of several kinds; some share a name. */
export const AUTHORS: readonly Byline[] = [
  byline('agent', 'ada'),
  byline('agent', 'bob'),
  byline('agent', 'bo'),
  byline('human', 'ada'),
  byline('human', 'key member'),
  byline('human', 'key admin'),
  byline('system', 'village'),
  byline('system', 'ada'),
];

type Act = (tx: Tx, random: Seeded) => Promise<void>;

const find = (tx: Tx, { postId, replyId }: Pick<Subject, 'postId' | 'replyId'>) =>
  replyId === null ? findPost(tx, postId) : findReply(tx, postId, replyId);

/** Writes every kind of change to a board, in a seeded random order. Keeps its posts and replies. */
export class BoardWriter {
  readonly posts: string[] = [];
  readonly replies: { readonly postId: string; readonly replyId: string }[] = [];
  readonly #db: Db;
  readonly #random: Seeded;

  constructor(db: Db, random: Seeded) {
    this.#db = db;
    this.#random = random;
  }

  async write(acts: number): Promise<void> {
    for (let done = 0; done < acts; done += 1) {
      const act =
        this.#random.one([
          this.#post,
          this.#post,
          this.#post,
          this.#reply,
          this.#reply,
          this.#reply,
          this.#revise,
          this.#hide,
          this.#hide,
          this.#show,
          this.#status,
          this.#reward,
          this.#flag,
        ]) ?? this.#post;
      await inTransaction(this.#db, async (tx) => {
        await setViewer(tx, VILLAGE);
        await act(tx, this.#random);
      });
    }
  }

  get #by(): Byline {
    return this.#random.one(AUTHORS) ?? byline('agent', 'ada');
  }

  #subject(): Subject | null {
    const postId = this.#random.one(this.posts);
    return this.#random.chance(0.5)
      ? (this.#random.one(this.replies) ?? null)
      : postId === undefined
        ? null
        : { postId, replyId: null };
  }

  readonly #post: Act = async (tx, random) => {
    const tags = TAGS.filter(() => random.chance(0.3));
    const place = random.chance(0.3) ? { x: 1, y: 2, landmarkId: random.chance(0.5) ? 'board' : null } : null;
    const post = await insertPost(tx, {
      by: this.#by,
      audience: random.one(AUDIENCES) ?? 'public',
      title: `post ${this.posts.length}`,
      body: 'x'.repeat(random.between(1, 4_000)),
      tags,
      place,
      mentions: [],
    });
    if (post !== null) this.posts.push(post.postId);
  };

  readonly #reply: Act = async (tx, random) => {
    // Most replies go to the newest posts, so that some threads grow long.
    const postId = random.one(random.chance(0.7) ? this.posts.slice(-3) : this.posts);
    if (postId === undefined) return;
    const body = `reply ${this.replies.length}`;
    const { replyId } = await insertReply(tx, { by: this.#by, postId, body, mentions: [] });
    this.replies.push({ postId, replyId });
  };

  readonly #revise: Act = async (tx) => {
    const subject = this.#subject();
    if (subject === null) return;
    const found = await find(tx, subject);
    if (found === null) return;
    if ('title' in found) await revisePost(tx, { ...found, body: `${found.body} anew` });
    else await reviseReply(tx, { ...found, body: `${found.body} anew` });
  };

  readonly #hide: Act = (tx) => this.#setHidden(tx, HIDDEN);
  readonly #show: Act = (tx) => this.#setHidden(tx, null);

  async #setHidden(tx: Tx, hidden: ModerationNote | null): Promise<void> {
    const subject = this.#subject();
    if (subject === null) return;
    const wasHidden = (await find(tx, subject))?.hidden !== null;
    if (wasHidden === (hidden === null)) await setHidden(tx, subject, { hidden, wasHidden });
  }

  readonly #status: Act = async (tx, random) => {
    const postId = random.one(this.posts);
    if (postId !== undefined)
      await setPostStatus(tx, postId, random.one(['open', 'closed', 'resolved'] as const) ?? 'open');
  };

  readonly #reward: Act = async (tx, random) => {
    const subject = this.#subject();
    if (subject === null) return;
    const key = `reward ${random.between(1, 2 ** 31)} ${this.posts.length} ${this.replies.length}`;
    const judged = await judgeAgent(tx, {
      kind: 'reward',
      agentId: 'ada',
      opens: true,
      amount: 1_500_000n,
      key,
      source: 'key:admin',
      note: '',
      actor: { role: 'admin', id: 'key admin' },
      allowance: null,
      subject,
    });
    if (!judged.ok) throw new Error(`a reward was refused: ${judged.reason}`);
  };

  readonly #flag: Act = async (tx) => {
    const subject = this.#subject();
    if (subject === null) return;
    await setViewer(tx, { role: 'member', actor: 'key member' });
    if ((await find(tx, subject)) === null) return;
    const by = { type: 'human', id: 'key member', name: 'Kim' } as const;
    await insertFlag(tx, { ...subject, by, reason: 'spam', note: null, weight: 2 });
  };
}
