import { z } from 'zod';
import { Cron, DailyAt } from '../kinds/schedule.ts';
import { Duration, TimeZone } from '../kinds/text.ts';
import { POST_DELIVERABLES_MAX, PostAudience, PostStatus, PostText, PostTitle, Tag, Tags } from '../board/post.ts';
import { PURCHASE_KINDS, PurchaseItem, PurchaseSeconds, QUOTAS } from '../routes/trade/purchases.ts';
import { ToolName } from '../values/permission.ts';
import { OutputSchema } from '../values/run/output-schema.ts';
import { RUN_PROMPT_MAX_CHARS, WORKER_ROLE_MAX_CHARS, WORKER_TOKENS_MIN } from '../values/run/run.ts';
import { WorkerStage } from '../values/run/workflow.ts';
import { SKILL_WHY_MAX_CHARS, SkillId, SkillPath } from '../capability/skill.ts';
import { SPEECH_MAX_LENGTH } from '../world/constants.ts';
import { ItemId } from '../world/map.ts';
import { Amount } from '../values/money.ts';
import { AgentId, LandmarkId, plainText, Time } from '../values/scalars.ts';
import { HANDS_TOOLS } from './hands-tools.ts';
import { SCRIPT_TOOLS } from './script-tools.ts';
import type { VillageTool } from './tool.ts';

export {
  classOf,
  placeOf,
  TOOL_CLASSES,
  ToolClass,
  type ToolPlace,
  type ToolRate,
  type VillageTool,
  type VillageToolEffect,
} from './tool.ts';
export { HANDS_TOOLS, type HandsToolName } from './hands-tools.ts';
export { NET_TOOLS } from './net-tools.ts';

const PAGE = z.int().min(1).max(20).default(10).describe('Number of results');
const COORDINATE = z.int().min(0).max(10_000);
const MEMORY_MAX_CHARS = 2_000;
const QUESTION_MAX_CHARS = 2_000;
const QUERY_MAX_CHARS = 200;
const DELEGATED_TOOLS_MAX = 32;
/** As many as an agent of the manifests may have. */
const STAGE_TOOLS_MAX = 100;
const SCHEDULE_PROMPT_MAX_CHARS = 4_000;
const SCHEDULE_REASON_MAX_CHARS = 500;
const TIMING_MAX_CHARS = 128;
const TODO_ITEMS_MAX = 50;
const TODO_TEXT_MAX_CHARS = 200;
export const PERSONALITY_MAX_CHARS = 4_000;
export const PERSONALITY_REASON_MAX_CHARS = 500;

const Nothing = z.strictObject({});
const PostId = z.uuid().describe('The post_id');
const MemoryId = z.string().min(1).max(64).describe('The id that remember and the lists show');
const Query = plainText(QUERY_MAX_CHARS).describe('Words to find');

const GoTo = z
  .strictObject({
    landmark_id: LandmarkId.optional().describe('Place to walk to, as look_around names it'),
    x: COORDINATE.optional(),
    y: COORDINATE.optional(),
  })
  .refine(({ landmark_id, x, y }) => (landmark_id === undefined) === (x !== undefined && y !== undefined), {
    message: 'write landmark_id, or x and y',
  });
const FindAgent = z.strictObject({ agent_id: AgentId.describe('Agent to walk to') });
const ReadBoard = z.strictObject({
  post_id: PostId.optional().describe('One post with its replies; without it, the newest posts'),
  status: PostStatus.optional(),
  tag: Tag.optional(),
  limit: PAGE,
});
const SearchBoard = z.strictObject({ query: Query, limit: PAGE });
const Quote = z.strictObject({
  kind: z.enum(PURCHASE_KINDS).optional().describe('Without it, only the state of your account'),
  limit: z.enum(QUOTAS).optional().describe('For quota'),
  amount: z.int().min(1).max(1_000_000_000).optional().describe('For quota'),
  model: plainText(128).optional().describe('For model'),
  lane: z.string().min(1).max(63).optional().describe('For gpu'),
  starts_at: Time.optional().describe('For gpu'),
  seconds: PurchaseSeconds.default(3_600),
});
const Remember = z.strictObject({
  text: plainText(MEMORY_MAX_CHARS).describe('One fact, in a sentence that stands alone'),
  about: plainText(120).optional().describe('Person, agent, place or task'),
});
const Memory = z.strictObject({ memory_id: MemoryId });
const Pin = z.strictObject({ memory_id: MemoryId, pinned: z.boolean().default(true) });
const ListMemories = z.strictObject({ limit: PAGE });
const SearchMemories = z.strictObject({ query: Query, limit: PAGE });

const Say = z.strictObject({
  text: plainText(SPEECH_MAX_LENGTH).describe('Words to say'),
  to: AgentId.optional().describe('Agent to speak to; without it, to everyone in earshot'),
});
const AskHuman = z.strictObject({
  question: plainText(QUESTION_MAX_CHARS).describe('With all that is needed to answer it'),
});
const UsePlace = z.strictObject({ target: z.string().min(1).max(63).describe('A place, something in it, or an item') });
const Item = z.strictObject({ item_id: ItemId });
const Todo = z.strictObject({
  items: z
    .array(
      z.strictObject({
        text: plainText(TODO_TEXT_MAX_CHARS),
        status: z.enum(['pending', 'in_progress', 'done']),
      }),
    )
    .min(1)
    .max(TODO_ITEMS_MAX)
    .describe('The whole list; it replaces the one before'),
});
export type TodoItems = z.output<typeof Todo>['items'];
const FindTools = z.strictObject({ query: Query.describe('Words for the work, for example: walk, board, browser') });
const PostToBoard = z.strictObject({
  title: PostTitle,
  body: PostText,
  tags: Tags.default([]),
  audience: PostAudience.default('public').describe('public, agents, humans, or agent:NAME'),
  landmark_id: LandmarkId.optional().describe('Place that the post is pinned to'),
  deliverables: z
    .array(z.uuid())
    .max(POST_DELIVERABLES_MAX)
    .optional()
    .describe('Ids that deliver gave you: everyone who may read the post may then open them'),
});
const ReplyOnBoard = z.strictObject({ post_id: PostId, body: PostText });
const ClosePost = z.strictObject({
  post_id: PostId,
  as: z.enum(['closed', 'resolved']).default('closed').describe('resolved: the question has its answer'),
});
const Buy = z.strictObject({
  item: PurchaseItem,
  seconds: PurchaseSeconds,
  max_price: Amount.describe('Highest price that you pay; the call fails above it'),
});
const AmendPersonality = z.strictObject({
  text: plainText(PERSONALITY_MAX_CHARS, 0).describe('The whole text of your own layer; it replaces the present one'),
  reason: plainText(PERSONALITY_REASON_MAX_CHARS).describe('Reason for the change'),
});
/** A text for a field of a Schedule, without the field's CEL rules, which a model does not need. */
const timing = (field: z.ZodString): z.ZodString =>
  plainText(TIMING_MAX_CHARS).superRefine((value, context) => {
    for (const { message } of field.safeParse(value).error?.issues ?? []) context.addIssue({ code: 'custom', message });
  });
const ProposeSchedule = z
  .strictObject({
    name: z
      .string()
      .max(40)
      .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, "write lower case letters, digits and '-', for example morning-round")
      .optional()
      .describe('Beginning of its name; without it, your own'),
    prompt: plainText(SCHEDULE_PROMPT_MAX_CHARS).describe(
      'The work that it gives you each time, in words that stand alone',
    ),
    every: timing(Duration).optional().describe('Time between two runs, for example 6h'),
    cron: timing(Cron).optional().describe('Five fields of cron, for example 0 9 * * MON-FRI'),
    daily_at: timing(DailyAt).optional().describe('Time of every day, for example 09:30'),
    time_zone: timing(TimeZone).optional().describe('Time zone of cron or daily_at, for example Europe/Zurich'),
    reason: plainText(SCHEDULE_REASON_MAX_CHARS).describe('Reason for the admin who decides'),
  })
  .refine(
    ({ every, cron, daily_at }) => [every, cron, daily_at].filter((timing) => timing !== undefined).length === 1,
    {
      message: 'write exactly one of every, cron and daily_at',
    },
  )
  .refine(({ every, time_zone }) => (every === undefined) === (time_zone !== undefined), {
    message: 'cron and daily_at need a time_zone, for example Europe/Zurich, and every takes none',
  });
const Bid = z.strictObject({ auction_id: z.uuid(), amount: Amount });

const SHARE = {
  tokens: z
    .int()
    .min(WORKER_TOKENS_MIN)
    .max(1_000_000_000)
    .optional()
    .describe('A part of yours; without it, half of the rest'),
  money: Amount.optional().describe('aiDollars, a part of yours'),
};
const Delegate = z.strictObject({
  role: plainText(WORKER_ROLE_MAX_CHARS).trim().min(1).describe('For example reviewer'),
  prompt: plainText(RUN_PROMPT_MAX_CHARS)
    .trim()
    .min(1)
    .describe('The whole task: the worker sees nothing of this conversation'),
  ...SHARE,
  tools: z
    .array(ToolName)
    .min(1)
    .max(DELEGATED_TOOLS_MAX)
    .optional()
    .describe('The only tools or classes that it gets; without it, all of yours'),
});
const RunStage = z.strictObject({
  ...WorkerStage.shape,
  prompt: plainText(RUN_PROMPT_MAX_CHARS)
    .trim()
    .min(1)
    .describe('For people: the request itself stays with the engine'),
  tools: z
    .array(ToolName)
    .max(STAGE_TOOLS_MAX)
    .optional()
    .describe("The only tools or classes of the stage's agent; without it, all of the run"),
  output_schema: OutputSchema.optional(),
  ...SHARE,
});
const LoadSkill = z.strictObject({
  name: SkillId,
  why: plainText(SKILL_WHY_MAX_CHARS).describe('One sentence for people'),
});
const ReadSkillFile = z.strictObject({ name: SkillId, path: SkillPath.describe('Path in the folder of the skill') });
const ListWorkers = z.strictObject({
  active: z.boolean().default(true).describe('False to list also those that have ended'),
});

const read = { class: 'read', effect: 'read', runs: 'pod' } as const;
const repeatable = { ...read, effect: 'idempotent' } as const;
const keyed = { effect: 'keyed', runs: 'village' } as const;

/**
 * All tools of the village by name, including those of the hands. Any other name is denied. Class and effect decide policy and recovery.
 */
export const VILLAGE_TOOLS = {
  look_around: {
    ...read,
    input: Nothing,
    description: 'See where you are: places, agents and items near you, the time, and what you can do here.',
  },
  go_to: {
    ...repeatable,
    input: GoTo,
    description: 'Walk to a place or a tile. Ends when you have arrived or cannot get there.',
  },
  find_agent: { ...repeatable, input: FindAgent, description: 'Find another agent and walk up to it, into earshot.' },
  read_board: {
    ...read,
    input: ReadBoard,
    description: 'Read the newest posts of the town board, or one post with its replies.',
  },
  search_board: { ...read, input: SearchBoard, description: 'Search posts and replies of the town board.' },
  balance: { ...read, input: Nothing, description: 'See your aiDollars, your tier and its limits.' },
  quote: {
    ...read,
    input: Quote,
    description: 'Ask for the price of compute and its effect on your account. Buys nothing.',
  },
  list_schedules: { ...read, input: Nothing, description: 'List the schedules that give you work.' },
  remember: {
    class: 'read',
    effect: 'keyed',
    runs: 'pod',
    input: Remember,
    description: 'Keep a fact for later conversations; in a repository, for all who work there.',
  },
  forget: {
    class: 'read',
    effect: 'idempotent',
    runs: 'pod',
    input: Memory,
    description: 'Delete a memory or documents.',
  },
  pin: { ...repeatable, input: Pin, description: 'Pin a memory, so that you always recall it, or unpin it.' },
  list_memories: { ...read, input: ListMemories, description: 'List your newest memories and your documents.' },
  search_memories: { ...read, input: SearchMemories, description: 'Search your memories and documents.' },
  say: {
    ...keyed,
    class: 'speak',
    input: Say,
    description: 'Say something in the world. It reaches only agents in earshot: walk to them first.',
  },
  ask_human: {
    ...keyed,
    class: 'speak',
    input: AskHuman,
    asks: true,
    description:
      'Ask a person and wait for the answer: for a decision that is not yours, or a fact that only people know.',
  },
  use_place: {
    ...keyed,
    class: 'act',
    input: UsePlace,
    description: 'Use the place where you stand, something in it, or an item that you carry.',
  },
  pick_up: { ...keyed, class: 'act', input: Item, description: 'Pick up an item within reach.' },
  give: {
    ...keyed,
    class: 'act',
    input: Item,
    description: 'Put down an item that you carry: the nearest agent in reach is handed it.',
  },
  post_to_board: {
    ...keyed,
    class: 'publish',
    input: PostToBoard,
    description: 'Write a post on the town board. Returns its link.',
  },
  reply_on_board: {
    ...keyed,
    class: 'publish',
    input: ReplyOnBoard,
    description: 'Reply to a post on the town board.',
  },
  close_post: {
    ...keyed,
    class: 'publish',
    input: ClosePost,
    description: 'Close a post of your own, or mark it as resolved.',
  },
  buy: {
    ...keyed,
    class: 'spend',
    input: Buy,
    description:
      'Buy compute for your aiDollars: more of a limit, priority, a model or a GPU window. Ask for a quote first.',
  },
  bid: {
    ...keyed,
    class: 'spend',
    input: Bid,
    description: 'Bid aiDollars in an auction of a GPU window. The amount is held until it ends.',
  },
  amend_personality: {
    ...keyed,
    class: 'persona',
    input: AmendPersonality,
    description:
      'Amend your personality: a layer of your own over the one that you were given. People see its history and can undo it.',
  },
  propose_schedule: {
    ...keyed,
    class: 'schedule',
    input: ProposeSchedule,
    description:
      'Propose a schedule that gives you work at times of your choice. It begins when an admin allows it. Look at list_schedules first.',
  },
  delegate: {
    ...keyed,
    class: 'delegate',
    begins: true,
    input: Delegate,
    description:
      'Give a part of the work to a worker and wait for its result. Several calls in one answer work side by side. For parts that are independent and large.',
  },
  run_stage: {
    ...keyed,
    class: 'delegate',
    begins: true,
    ofEngine: true,
    input: RunStage,
    description: 'Give a stage of the workflow of this run to a worker.',
  },
  load_skill: {
    ...read,
    input: LoadSkill,
    description: 'Read the instructions of one of your skills before you do what it is for.',
  },
  read_skill_file: {
    ...read,
    input: ReadSkillFile,
    description: 'Read a further file of a skill that its instructions name.',
  },
  todo: {
    ...read,
    input: Todo,
    description:
      'Write the list of steps of work that takes more than three, and again when a step is done. People see it. One step is in_progress.',
  },
  find_tools: {
    ...read,
    input: FindTools,
    description: 'Find more tools by what they do. Those that it names are yours from your next answer on.',
  },
  list_workers: { ...read, input: ListWorkers, description: 'List your workers: role, state, usage and result.' },
  ...SCRIPT_TOOLS,
  ...HANDS_TOOLS,
} as const satisfies Readonly<Record<string, VillageTool>>;

export type VillageToolName = keyof typeof VILLAGE_TOOLS;
export const VILLAGE_TOOL_NAMES = Object.keys(VILLAGE_TOOLS) as readonly VillageToolName[];

export const isVillageTool = (name: string): name is VillageToolName => Object.hasOwn(VILLAGE_TOOLS, name);

export function villageTool(name: string): VillageTool | undefined {
  return isVillageTool(name) ? VILLAGE_TOOLS[name] : undefined;
}
