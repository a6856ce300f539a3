import type { AgentView, Post, QuoteAnswer, ScheduleView, Script, ScriptDetail, WorldView } from '@hamlet/contract';
import { RunFailure } from '@hamlet/engine';
import { shorten } from '@hamlet/core/shorten';
import { PERCEPTION_TILES, tilesBetween } from '../brain/situation.ts';
import { createTools } from '../runs/tools.ts';
import { retry, type Definite, type RetryPorts } from '../village/retry.ts';
import type { Answer, PriceAsked } from '../village/village.ts';
import type { PostQuery } from '../village/work-village.ts';
import { fromOutside, okay, type ToolKit, type ToolResult } from './tool-kit.ts';

const MAX_PLACES = 40;
const MAX_AGENTS = 30;
const MAX_ITEMS = 30;
const EXCERPT_CHARS = 400;
const MAX_REPLIES = 30;

/** The API's answer; repeats the request until the API answers. Throws RunFailure for a refusal. */
export async function answered<T>(kit: RetryPorts, signal: AbortSignal, ask: () => Promise<Answer<T>>): Promise<T> {
  const answer: Definite<T> = await retry(ask, signal, kit);
  if (answer.kind === 'refused') throw new RunFailure(answer.code, answer.detail);
  return answer.value;
}

export async function lookAround(kit: ToolKit, signal: AbortSignal) {
  const { view, self } = await createTools(kit, 'look', signal).around();
  return okay(surroundingsInWords(view, self));
}

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

/** The deliverables of a post, with the ids that adopt_script accepts. */
function deliveredIn({ deliverables = [] }: Post): string {
  const lines = deliverables.map(
    ({ artifact_id: id, name, deliverable }) => `- ${deliverable ?? 'file'} ${name}, id ${id}`,
  );
  return lines.length === 0 ? '' : `${section('Deliverables', lines)}\n`;
}

const postInWords = (post: Post): string => `${titleOf(post)}\n${shorten(post.body, EXCERPT_CHARS)}`;

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

type Kit = Pick<ToolKit, 'work' | 'rest' | 'random'>;

export async function listScripts(kit: Kit, name: string | undefined, signal: AbortSignal): Promise<ToolResult> {
  if (name !== undefined) return inWords(await answered(kit, signal, () => kit.work.script(name, null)));
  const scripts = await answered(kit, signal, () => kit.work.scripts());
  const text = scripts.map(lineOf).join('\n');
  if (scripts.some(({ tainted }) => tainted)) return fromOutside(text);
  return okay(text === '' ? 'You have no scripts. save_script keeps one.' : text);
}

function lineOf({ name, language, version, description, tainted, adopted_from: from, runs, last_run: last }: Script) {
  const origin = from === null ? (tainted ? ', counts as text from outside' : '') : `, from ${from}`;
  const ran = last === null ? 'never run' : `run ${runs} times, last ${last.outcome?.kind ?? 'with an unknown end'}`;
  return `- ${name} (${language}), version ${version}${origin}, ${ran}: ${description ?? ''}`;
}

/** A source that may contain untrusted text is data for the model. */
function inWords({ script, parameters, source, versions }: ScriptDetail): ToolResult {
  const earlier = versions.slice(1).map(({ version }) => version);
  const text = [
    lineOf(script),
    `Parameters: ${JSON.stringify(parameters)}`,
    `Earlier versions: ${earlier.join(', ') || 'none'}`,
    `Source:\n${source}`,
  ].join('\n');
  return script.tainted ? fromOutside(text) : okay(text);
}

/** Maximum number of pages that are read: 1,000 Schedules of the village. */
const PAGES_MAX = 5;
const PROMPT_MAX_CHARS = 200;

export async function listSchedules(kit: Pick<ToolKit, 'work' | 'rest' | 'random'>, signal: AbortSignal) {
  const own: ScheduleView[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { schedules, next_cursor: next } = await answered(kit, signal, () => kit.work.schedules(cursor));
    own.push(...schedules);
    if (next === null) break;
    cursor = next;
  }
  return okay(own.length === 0 ? 'No Schedule gives you work.' : own.map(scheduleInWords).join('\n'));
}

function scheduleInWords({ name, prompt, suspend, status, ...timing }: ScheduleView): string {
  const { every, cron, daily_at: dailyAt, time_zone: zone } = timing;
  const when = [every && `every ${every}`, cron && `cron ${cron}`, dailyAt && `daily at ${dailyAt}`, zone];
  const next = suspend ? 'suspended' : `next ${status.next_run_at ?? 'unknown'}`;
  return `- ${name}, ${when.filter((part) => part !== null).join(', ')}, ${next}: ${shorten(prompt, PROMPT_MAX_CHARS)}`;
}
