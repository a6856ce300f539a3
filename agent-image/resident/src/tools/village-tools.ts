import type { HandsToolName, VillageTool } from '@hamlet/contract';
import { VILLAGE_TOOLS } from '@hamlet/contract/resident';
import { defineTool, type CallContext, type Tool } from '@hamlet/engine';
import type { z } from 'zod';
import { listSchedules, listScripts, lookAround, readBalance, readBoard, readQuote, readThread } from './reading.ts';
import { delegateWork, listOwnWorkers } from './delegating.ts';
import { findTools } from '../toolset/find-tools.ts';
import { todoInWords, todoNoted } from './todo.ts';
import { aliasesOf } from '../toolset/argument-aliases.ts';
import { toolRulesOf } from '../toolset/tool-rules.ts';
import { loadSkill, readSkillFile } from './skills.ts';
import { forget, listMemories, pin, remember, searchMemories } from './remembering.ts';
import { performOutward } from './outward.ts';
import { failed, okay, outcomeOf, type Perform, type ToolKit, type ToolResult } from './tool-kit.ts';
import type { PriceAsked } from '../village/village.ts';
import { createTools, findAgent, goTo, goToTile, type Tools } from '../runs/tools.ts';

type Name = Exclude<keyof typeof VILLAGE_TOOLS, HandsToolName>;
type Kind<Input> = Pick<VillageTool, 'description'> & {
  readonly effect: Exclude<VillageTool['effect'], 'verify'>;
  readonly input: z.ZodType<Input>;
};

const READ_MS = 30_000;
/** A walk across the village, after the walk of another run. */
const WALK_MS = 900_000;
const OUTWARD_MS = 120_000;
/** The budget of a worker's run ends it sooner than this. */
const WORKER_MS = 86_400_000;

export function villageTools(kit: ToolKit): readonly Tool[] {
  return [
    todo(),
    ...readingTools(kit),
    ...walkingTools(kit),
    ...memoryTools(kit),
    ...OUTWARD.map((name) => outward(kit, name)),
  ];
}

function inPod<Input>(name: Name, { description, effect, input }: Kind<Input>, perform: Perform<Input>): Tool {
  const timeoutMs = name === 'go_to' || name === 'find_agent' ? WALK_MS : READ_MS;
  return defineTool<Input>({
    name,
    description,
    effect,
    input,
    aliases: aliasesOf(name),
    timeoutMs,
    execute: (given, context) => outcomeOf(() => perform(given, context)),
  });
}

const now = <Input>(perform: (input: Input, context: CallContext) => ToolResult): Perform<Input> => {
  return async (input, context) => perform(input, context);
};

const readingTools = (kit: ToolKit): readonly Tool[] => [
  inPod('look_around', VILLAGE_TOOLS.look_around, (_input, { signal }) => lookAround(kit, signal)),
  inPod('read_board', VILLAGE_TOOLS.read_board, ({ post_id, status, tag, limit }, { signal }) =>
    post_id === undefined
      ? readBoard(kit, { limit, ...(status && { status }), ...(tag !== undefined && { tag }) }, signal)
      : readThread(kit, post_id, signal),
  ),
  inPod('search_board', VILLAGE_TOOLS.search_board, ({ query, limit }, { signal }) =>
    readBoard(kit, { q: query, limit }, signal),
  ),
  inPod('list_schedules', VILLAGE_TOOLS.list_schedules, (_input, { signal }) => listSchedules(kit, signal)),
  inPod('list_scripts', VILLAGE_TOOLS.list_scripts, ({ name }, { signal }) => listScripts(kit, name, signal)),
  inPod('list_workers', VILLAGE_TOOLS.list_workers, (query, { signal }) => listOwnWorkers(kit, query, signal)),
  inPod('balance', VILLAGE_TOOLS.balance, (_input, { signal }) => readBalance(kit, signal)),
  inPod('quote', VILLAGE_TOOLS.quote, (asked, { signal }) => readQuote(kit, given(asked), signal)),
];

/** Omits the fields that the model left out. */
const given = (asked: object): PriceAsked =>
  Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));

export const skillTools = (kit: ToolKit): readonly Tool[] => [
  inPod('load_skill', VILLAGE_TOOLS.load_skill, (asked, context) => loadSkill(kit, asked, context)),
  inPod(
    'read_skill_file',
    VILLAGE_TOOLS.read_skill_file,
    now((asked, context) => readSkillFile(kit, asked, context)),
  ),
];

/** The list of steps of a run. People read it from the call. */
const todo = (): Tool => {
  const { description, input } = VILLAGE_TOOLS.todo;
  return defineTool({
    name: 'todo',
    description,
    effect: 'read',
    input,
    timeoutMs: READ_MS,
    execute: async ({ items }) => okay(todoNoted(items)),
    keeps: ({ items }) => todoInWords(items),
  });
};

/** Finds tools among those that `all` returns, which are all tools of the agent. */
export const findToolsIn = (kit: Pick<ToolKit, 'book'>, all: () => readonly Tool[]): Tool =>
  inPod(
    'find_tools',
    VILLAGE_TOOLS.find_tools,
    now(({ query }, { run }) => okay(findTools(all(), query, toolRulesOf(kit.book.find(run))))),
  );

const walkingTools = (kit: ToolKit): readonly Tool[] => [
  inPod('go_to', VILLAGE_TOOLS.go_to, (to, context) => walkTo(kit, to, context)),
  inPod('find_agent', VILLAGE_TOOLS.find_agent, ({ agent_id }, context) => walkAfter(kit, agent_id, context)),
];

const memoryTools = (kit: ToolKit): readonly Tool[] => [
  inPod('remember', VILLAGE_TOOLS.remember, (note, context) => remember(kit, note, context)),
  inPod('forget', VILLAGE_TOOLS.forget, ({ memory_id }, context) => forget(kit, memory_id, context)),
  inPod('pin', VILLAGE_TOOLS.pin, ({ memory_id: id, pinned }, context) => pin(kit, { id, pinned }, context)),
  inPod('list_memories', VILLAGE_TOOLS.list_memories, ({ limit }, context) => listMemories(kit, limit, context)),
  inPod('search_memories', VILLAGE_TOOLS.search_memories, (query, context) => searchMemories(kit, query, context)),
];

const OUTWARD = (Object.keys(VILLAGE_TOOLS) as Name[]).filter(
  (name) => VILLAGE_TOOLS[name].runs === 'village' && !('ofEngine' in VILLAGE_TOOLS[name]),
);

/** A tool that the API performs, with the arguments exactly as the model wrote them, because a permission is bound to them. */
function outward(kit: ToolKit, name: Name): Tool {
  const { description, effect, input } = VILLAGE_TOOLS[name];
  const isDelegate = name === 'delegate';
  return defineTool<unknown>({
    name,
    description,
    // Workers of one answer run in parallel. A repeated call finds its worker, so the engine may repeat the call like a read.
    effect: isDelegate ? 'read' : effect,
    input,
    aliases: aliasesOf(name),
    timeoutMs: isDelegate ? WORKER_MS : OUTWARD_MS,
    execute: (_input, context) =>
      outcomeOf(() => (isDelegate ? delegateWork(kit, context) : performOutward(kit, name, context))),
  });
}

interface Destination {
  readonly landmark_id?: string | undefined;
  readonly x?: number | undefined;
  readonly y?: number | undefined;
}

const walkTo = (kit: ToolKit, { landmark_id: place, x = 0, y = 0 }: Destination, context: CallContext) =>
  walk(kit, context, (tools) => (place === undefined ? goToTile(tools, { x, y }, 0) : goTo(tools, place, 0)));

const walkAfter = (kit: ToolKit, agentId: string, context: CallContext) =>
  walk(kit, context, (tools) => findAgent(tools, agentId, 0));

/** The agent has one body, so walks of two runs take turns. At the end of the process a walk stays open for the next one. */
async function walk(
  kit: ToolKit,
  { key, signal }: CallContext,
  perform: (tools: Tools) => ReturnType<typeof goTo>,
): Promise<ToolResult> {
  const walking = AbortSignal.any([signal, kit.stop]);
  try {
    const { outcome, text } = await kit.body.walk(walking, () => perform(createTools(kit, key, walking)));
    return outcome === 'done' ? okay(text) : failed('not_there', text);
  } catch (error) {
    if (kit.stop.aborted && !signal.aborted) return { kind: 'unknown', text: 'The process ended.' };
    throw error;
  }
}
