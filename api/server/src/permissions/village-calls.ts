import {
  actAsAgent,
  adoptScript,
  amendPersonality,
  buyCompute,
  closePost,
  createPost,
  createSchedule,
  deleteScript,
  parseAiDollars,
  placeBid,
  replyToPost,
  resolvePost,
  saveScript,
  VILLAGE_TOOLS,
} from '@hamlet/contract';
import type { CallOutcome, RouteSpec, Script, VillageToolName } from '@hamlet/contract';
import type { z } from 'zod';
import type { Handlers } from '../http/handler.ts';

type DirectRoute =
  | 'actAsAgent'
  | 'createPost'
  | 'replyToPost'
  | 'closePost'
  | 'resolvePost'
  | 'buyCompute'
  | 'placeBid'
  | 'amendPersonality'
  | 'saveScript'
  | 'adoptScript'
  | 'deleteScript'
  | 'createSchedule';
/** A call creates a Schedule through its own handler, `proposeSchedule`. */
export type DirectHandlers = Pick<Handlers, DirectRoute>;

type PerformedTool = {
  [N in VillageToolName]: (typeof VILLAGE_TOOLS)[N] extends { readonly asks: true } | { readonly begins: true }
    ? never
    : (typeof VILLAGE_TOOLS)[N] extends { readonly runs: 'village' }
      ? N
      : never;
}[VillageToolName];

type Described = Pick<CallOutcome, 'text' | 'data'>;

export interface VillageCall {
  readonly route: DirectRoute;
  readonly params: unknown;
  readonly body: unknown;
  readonly describe: (data: unknown) => Described;
}

type Prepared =
  | { readonly ok: true; readonly call: VillageCall }
  | { readonly ok: false; readonly issues: readonly z.core.$ZodIssue[] };
type Prepare = (value: unknown, agentId: string) => Prepared;

interface Sent {
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}
interface Way<S extends z.ZodObject, A extends z.ZodType> {
  readonly route: RouteSpec & {
    readonly name: DirectRoute;
    readonly answer: { readonly kind: 'json'; readonly schema: A };
  };
  readonly send: (input: z.output<S>, agentId: string) => Sent;
  readonly describe: (data: z.output<A>, input: z.output<S>) => Described;
}

function way<S extends z.ZodObject, A extends z.ZodType>(input: S, { route, send, describe }: Way<S, A>): Prepare {
  return (value, agentId) => {
    const parsed = input.safeParse(value);
    if (!parsed.success) return { ok: false, issues: parsed.error.issues };
    const { params, body } = send(parsed.data, agentId);
    return {
      ok: true,
      call: {
        route: route.name,
        params: route.params?.parse(params),
        body: route.body?.parse(body),
        describe: (data) => describe(route.answer.schema.parse(data), parsed.data),
      },
    };
  };
}

const postLink = (postId: string): string => `/?view=board&post=${postId}`;

const savedScript = ({ script, secrets }: { readonly script: Script; readonly secrets: boolean }): Described => ({
  text: [
    `Saved ${script.name}, version ${script.version}: run it with run_script.`,
    secrets ? 'Texts that look like secrets were replaced by [secret]: scripts cannot contain secrets.' : '',
    script.tainted ? 'It counts as outside text: a run that uses it is tainted.' : '',
  ]
    .filter((part) => part !== '')
    .join(' '),
  data: { name: script.name, version: script.version },
});

const POST_WORDS = { closed: 'closed', resolved: 'marked as resolved' } as const;

function closing(route: typeof closePost | typeof resolvePost): Prepare {
  return way(VILLAGE_TOOLS.close_post.input, {
    route,
    send: ({ post_id }) => ({ params: { post_id } }),
    describe: ({ post: { post_id } }, { as }) => ({
      text: `The post is ${POST_WORDS[as]}: ${postLink(post_id)}`,
      data: { post_id, link: postLink(post_id) },
    }),
  });
}
const CLOSE = closing(closePost);
const RESOLVE = closing(resolvePost);

/** How the API performs each of its tools. ask_human has no way: the person's answer is its outcome. */
const WAYS: Readonly<Record<PerformedTool, Prepare>> = {
  say: way(VILLAGE_TOOLS.say.input, {
    route: actAsAgent,
    send: ({ text, to }, agent_id) => ({
      params: { agent_id },
      body: { kind: 'talk', text, ...(to === undefined ? {} : { to }) },
    }),
    describe: ({ accepted_seq }, { to }) => ({
      text: to === undefined ? 'You said it to everyone in earshot.' : `You said it to ${to}.`,
      data: { seq: accepted_seq },
    }),
  }),
  use_place: way(VILLAGE_TOOLS.use_place.input, {
    route: actAsAgent,
    send: ({ target }, agent_id) => ({ params: { agent_id }, body: { kind: 'use', target } }),
    describe: ({ accepted_seq }, { target }) => ({ text: `You used ${target}.`, data: { seq: accepted_seq } }),
  }),
  pick_up: way(VILLAGE_TOOLS.pick_up.input, {
    route: actAsAgent,
    send: ({ item_id }, agent_id) => ({ params: { agent_id }, body: { kind: 'pick_up', item_id } }),
    describe: ({ accepted_seq }, { item_id }) => ({ text: `You picked up ${item_id}.`, data: { seq: accepted_seq } }),
  }),
  give: way(VILLAGE_TOOLS.give.input, {
    route: actAsAgent,
    send: ({ item_id }, agent_id) => ({ params: { agent_id }, body: { kind: 'drop', item_id } }),
    describe: ({ accepted_seq }, { item_id }) => ({
      text: `You put down ${item_id} for the nearest agent in reach.`,
      data: { seq: accepted_seq },
    }),
  }),
  post_to_board: way(VILLAGE_TOOLS.post_to_board.input, {
    route: createPost,
    send: ({ title, body, tags, audience, landmark_id, deliverables }) => ({
      body: {
        title,
        body,
        tags,
        audience,
        place: landmark_id === undefined ? null : { landmark_id },
        ...(deliverables === undefined ? {} : { deliverables }),
      },
    }),
    describe: ({ post_id }, { title }) => ({
      text: `Posted “${title}”: ${postLink(post_id)}`,
      data: { post_id, link: postLink(post_id) },
    }),
  }),
  reply_on_board: way(VILLAGE_TOOLS.reply_on_board.input, {
    route: replyToPost,
    send: ({ post_id, body }) => ({ params: { post_id }, body: { body } }),
    describe: ({ reply_id, reply: { post_id } }) => ({
      text: `Replied: ${postLink(post_id)}`,
      data: { reply_id, post_id, link: postLink(post_id) },
    }),
  }),
  close_post: (value, agentId) => {
    const input = VILLAGE_TOOLS.close_post.input.safeParse(value);
    return (input.data?.as === 'resolved' ? RESOLVE : CLOSE)(value, agentId);
  },
  buy: way(VILLAGE_TOOLS.buy.input, {
    route: buyCompute,
    send: ({ item, seconds, max_price }) => ({ body: { item, seconds, max_price } }),
    describe: ({ purchase_id, price, ends_at }) => ({
      text: `Bought for ${price} aiDollars, until ${ends_at}.`,
      data: { purchase_id, price, ends_at },
    }),
  }),
  amend_personality: way(VILLAGE_TOOLS.amend_personality.input, {
    route: amendPersonality,
    send: ({ text, reason }, agent_id) => ({ params: { agent_id }, body: { text, reason } }),
    describe: ({ current: { version } }) => ({
      text: `Your personality has version ${version}. It takes effect the next time that you wake up.`,
      data: { version },
    }),
  }),
  propose_schedule: way(VILLAGE_TOOLS.propose_schedule.input, {
    route: createSchedule,
    send: ({ name, prompt, every, cron, daily_at, time_zone }, agent_name) => ({
      body: { name: name ?? agent_name, agent_name, prompt, every, cron, daily_at, time_zone },
    }),
    describe: ({ schedule: { name } }) => ({
      text: `The Schedule ${name} is created: it gives you work from now on.`,
      data: { name },
    }),
  }),
  save_script: way(VILLAGE_TOOLS.save_script.input, {
    route: saveScript,
    send: (script, agent_id) => ({ params: { agent_id }, body: script }),
    describe: savedScript,
  }),
  adopt_script: way(VILLAGE_TOOLS.adopt_script.input, {
    route: adoptScript,
    send: ({ post_id, deliverable_id, name }, agent_id) => ({
      params: { agent_id },
      body: { post_id, artifact_id: deliverable_id, ...(name === undefined ? {} : { name }) },
    }),
    describe: savedScript,
  }),
  delete_script: way(VILLAGE_TOOLS.delete_script.input, {
    route: deleteScript,
    send: ({ name }, agent_id) => ({ params: { agent_id, name } }),
    describe: (_data, { name }) => ({ text: `Deleted ${name} with all its versions.` }),
  }),
  bid: way(VILLAGE_TOOLS.bid.input, {
    route: placeBid,
    send: ({ auction_id, amount }) => ({ params: { auction_id }, body: { amount } }),
    describe: ({ bid_id, amount }) => ({
      text: `Bid ${amount} aiDollars; the amount is held until the auction ends.`,
      data: { bid_id, amount },
    }),
  }),
};

export function wayOf(tool: string): Prepare | null {
  const ways: Readonly<Record<string, Prepare>> = WAYS;
  return Object.hasOwn(ways, tool) ? (ways[tool] ?? null) : null;
}

/** Micro-aiDollars that a call may spend at most; null if it spends nothing, or if its arguments are wrong. Pure. */
export function amountOf(tool: string, value: unknown): bigint | null {
  if (tool === 'buy') return microOf(VILLAGE_TOOLS.buy.input.safeParse(value).data?.max_price);
  return tool === 'bid' ? microOf(VILLAGE_TOOLS.bid.input.safeParse(value).data?.amount) : null;
}

const microOf = (amount: string | undefined): bigint | null => (amount === undefined ? null : parseAiDollars(amount));
