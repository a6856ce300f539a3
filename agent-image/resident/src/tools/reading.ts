import type { AgentView, Post, QuoteAnswer, WorldView } from '@hamlet/contract';
import { RunFailure } from '@hamlet/engine';
import { PERCEPTION_TILES, tilesBetween } from '../brain/situation.ts';
import { createTools } from '../runs/tools.ts';
import { retry, type Definite, type RetryPorts } from '../village/retry.ts';
import type { Answer, PriceAsked } from '../village/village.ts';
import type { PostQuery } from '../village/work-village.ts';
import { okay, type ToolKit } from './tool-kit.ts';

const MAX_PLACES = 40;
const MAX_AGENTS = 30;
const MAX_ITEMS = 30;
/** Maximum length of a post or reply in a list. */
const EXCERPT_CHARS = 400;
const MAX_REPLIES = 30;

/** The answer of the API, asked again while it does not answer. Throws RunFailure for a refusal. */
export async function answered<T>(kit: RetryPorts, signal: AbortSignal, ask: () => Promise<Answer<T>>): Promise<T> {
  const answer: Definite<T> = await retry(ask, signal, kit);
  if (answer.kind === 'refused') throw new RunFailure(answer.code, answer.detail);
  return answer.value;
}

export async function lookAround(kit: ToolKit, signal: AbortSignal) {
  const { view, self } = await createTools(kit, 'look', signal).around();
  return okay(surroundingsInWords(view, self));
}

/** Places, agents and items with their ids, which the other tools take. */
function surroundingsInWords(view: WorldView, self: AgentView): string {
  const from = self.position;
  const two = (value: number): string => String(value).padStart(2, '0');
  const here = view.landmarks.find(({ landmark_id }) => landmark_id === self.landmark_id);
  const near = <T extends { readonly position: { x: number; y: number } | null }>(list: readonly T[], max: number) =>
    list
      .flatMap((one) => (one.position === null ? [] : [{ one, tiles: tilesBetween(one.position, from) }]))
      .toSorted((a, b) => a.tiles - b.tiles)
      .slice(0, max);
  const places = near(view.landmarks, MAX_PLACES).map(
    ({ one, tiles }) => `- ${one.landmark_id}: ${one.name}, ${tiles} tiles`,
  );
  const agents = near(
    view.agents.filter((agent) => agent !== self && agent.power === 'Awake'),
    MAX_AGENTS,
  ).map(
    ({ one, tiles }) =>
      `- ${one.agent_id}: ${one.display_name}, ${tiles} tiles, ${one.activity}${one.landmark_id === null ? '' : ` at ${one.landmark_id}`}`,
  );
  const items = near(view.items, MAX_ITEMS)
    .filter(({ tiles }) => tiles <= PERCEPTION_TILES)
    .map(({ one, tiles }) => `- ${one.item_id}: ${one.kind}, ${tiles} tiles`);
  return [
    `It is day ${view.time.day}, ${two(Math.floor(view.time.minute / 60))}:${two(view.time.minute % 60)} (${view.time.phase}).`,
    here === undefined
      ? `You are out of doors at x ${from.x}, y ${from.y}.`
      : `You are at ${here.name} (${here.landmark_id}). You can use here: ${here.affordances.join(', ') || 'nothing'}.`,
    `You carry: ${self.inventory.map((item) => JSON.stringify(item)).join(', ') || 'nothing'}.`,
    section('Agents, nearest first', agents),
    section('Items on the ground', items),
    section('Places, nearest first', places),
  ].join('\n');
}

const section = (title: string, lines: readonly string[]): string => `${title}:\n${lines.join('\n') || '- none'}`;

export async function readBoard(kit: ToolKit, query: PostQuery, signal: AbortSignal) {
  const posts = await answered(kit, signal, () => kit.work.posts(query));
  return okay(posts.length === 0 ? 'No post matches.' : posts.map(postInWords).join('\n\n'));
}

export async function readThread(kit: ToolKit, postId: string, signal: AbortSignal) {
  const { post, replies } = await answered(kit, signal, () => kit.work.thread(postId));
  const shown = replies
    .filter(({ status }) => status === 'shown')
    .slice(-MAX_REPLIES)
    .map(({ author_id: by, body, created_at: at }) => `- ${by}, ${at}: ${body}`);
  return okay(`${titleOf(post)}\n${post.body}\n${deliveredIn(post)}${section(`Replies (${post.replies})`, shown)}`);
}

const titleOf = ({ post_id: id, title, author_id: by, status, replies, created_at: at }: Post): string =>
  `“${title}” by ${by}, ${at}, ${status}, ${replies} replies, post_id ${id}`;

/** The deliverables of a post with the ids that adopt_script takes. */
function deliveredIn({ deliverables = [] }: Post): string {
  const lines = deliverables.map(
    ({ artifact_id: id, name, deliverable }) => `- ${deliverable ?? 'file'} ${name}, id ${id}`,
  );
  return lines.length === 0 ? '' : `${section('Deliverables', lines)}\n`;
}

const postInWords = (post: Post): string =>
  `${titleOf(post)}\n${post.body.length > EXCERPT_CHARS ? `${post.body.slice(0, EXCERPT_CHARS)}…` : post.body}`;

export async function readBalance(kit: ToolKit, signal: AbortSignal) {
  const { balance, tier, entitlement } = await answered(kit, signal, () => kit.village.standing());
  return okay(
    [
      balance === null ? 'You have no account yet.' : `You have ${balance} aiDollars.`,
      `Tier: ${tier ?? 'none'}. Limits: ${JSON.stringify(entitlement.limits)}.`,
    ].join('\n'),
  );
}

export async function readQuote(kit: ToolKit, asked: PriceAsked, signal: AbortSignal) {
  const { item, agent, price_list }: QuoteAnswer = await answered(kit, signal, () => kit.village.quote(asked));
  return okay(JSON.stringify({ item, account: agent, ...(item === null ? { price_list } : {}) }));
}
