import type { BoardNews, LedgerEntry } from '@hamlet/contract';
import { wordsSpokenTo, type Judged, type Situation } from '../situation.ts';
import { quoted, shortened } from '../words.ts';
import { RECENT_MAX, spentNow, type LifeMind, type Thought } from './life-mind.ts';
import { endingTalk, withSaid } from './talk.ts';

const WORDS_MAX_CHARS = 300;

export function withThought(life: LifeMind, thought: Thought, tick: number): LifeMind {
  const { sinceTick, tokens } = spentNow(life, tick);
  const paid = { ...life, spent: { sinceTick, tokens: tokens + thought.tokens } };
  if (thought.kind === 'choice')
    return { ...paid, plan: thought.chosen?.plan ?? life.plan, decidedOn: thought.of, decidedAt: tick };
  return thought.kind === 'line' && (thought.line?.text ?? null) === null ? endingTalk(paid, thought.to) : paid;
}

export function withLessons(life: LifeMind, judged: readonly Judged[]): LifeMind {
  const fresh = judged.filter(({ entry }) => !life.lessons.some(({ version }) => version === entry.version));
  if (fresh.length === 0) return life;
  const lessons = fresh.map(({ entry, post }) => ({
    version: entry.version,
    text: shortened(judgementInWords(entry, post?.title ?? null), WORDS_MAX_CHARS),
  }));
  return { ...life, lessons: [...life.lessons, ...lessons].slice(-RECENT_MAX) };
}

export function judgementInWords(
  { amount, note }: Pick<LedgerEntry, 'amount' | 'note'>,
  title: string | null = null,
): string {
  const about = title === null ? '' : ` for ${quoted(title)}`;
  const because = note === '' ? '' : `, because: ${quoted(note)}`;
  return `${amount.startsWith('-') ? 'A penalty' : 'A reward'} of ${amount.replace('-', '')} aiD${about}${because}`;
}

type News = LifeMind['news'][number];

/** The state with new board texts for the agent. It stores only public ones, because its decisions are public. Pure. */
export function withNews(life: LifeMind, news: readonly BoardNews[], agentId: string): LifeMind {
  return withEach(
    life,
    news.flatMap(({ post, reply, answered }): readonly News[] => {
      const { author_id: author, author_name: name, body } = reply ?? post;
      if (answered || author === agentId || post.audience !== 'public') return [];
      const where = reply === null ? quoted(post.title) : `in ${quoted(post.title)}`;
      return [{ id: reply?.reply_id ?? post.post_id, from: 'board', text: `${name} wrote ${where}: ${quoted(body)}` }];
    }),
  );
}

function withEach(life: LifeMind, news: readonly News[]): LifeMind {
  const fresh = news
    .filter(({ id }) => !life.news.some((known) => known.id === id))
    .map((each) => ({ ...each, text: shortened(each.text, WORDS_MAX_CHARS) }));
  return fresh.length === 0 ? life : { ...life, news: [...life.news, ...fresh].slice(-RECENT_MAX) };
}

/** The state with another agent's words that woke this one: a line of their conversation, or words to all nearby. Pure. */
export function withSpokenWords(life: LifeMind, situation: Situation): LifeMind {
  const spoken = wordsSpokenTo(situation);
  if (spoken === null || spoken.agent === null) return life;
  const { seq, text, agent, toMe } = spoken;
  const name = agent.display_name;
  if (toMe) return withSaid(life, { with: agent.agent_id, name, text, tick: situation.tick });
  return withEach(life, [{ id: `heard ${seq}`, from: 'nearby', text: `${name} said to all: ${quoted(text)}` }]);
}
