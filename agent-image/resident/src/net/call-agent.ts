import type { AgentConfig } from '@hamlet/contract';
import { HTTP_SECONDS_MAX, isEgressRefusal, placeholderOf } from '@hamlet/contract/resident';
import { readJson } from '@hamlet/core/read-json';
import type { Tool } from '@hamlet/engine';
import { z } from 'zod';
import { handsTool, type HandsEnd, type HandsKit } from '../hands/hands-tool.ts';
import { keptOutput } from '../hands/job-process.ts';
import type { EndedProcess } from '../hands/process-record.ts';
import { failed, fromOutside, okay } from '../tools/tool-kit.ts';
import type { FetchInput } from './program-facts.ts';
import { fetchInHands, type Fetched } from './web.ts';

export type OutsideAgent = AgentConfig['outside_agents'][number];

/** Maximum bytes of one answer: JSON is parsed as a whole. */
const ANSWER_BYTES = 400_000;
const TEXT_MAX_CHARS = 20_000;
const REFUSAL_MAX_CHARS = 500;
const SLACK_MS = 15_000;
const VERSION = '1.0';

type Call = Readonly<{ message?: string | undefined; task?: string | undefined }>;

/** A JSON-RPC request: sends a message, which may reply to a task, or reads a task. Pure. */
export function callRequest({ url, secret }: OutsideAgent, { message, task }: Call, messageId: string): FetchInput {
  const sent = {
    messageId,
    role: 'ROLE_USER',
    parts: [{ text: message }],
    ...(task === undefined ? {} : { taskId: task }),
  };
  const [method, params] =
    message === undefined
      ? (['GetTask', { id: task, historyLength: 0 }] as const)
      : (['SendMessage', { message: sent }] as const);
  return {
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'a2a-version': VERSION,
      ...(secret === null ? {} : { authorization: `Bearer ${placeholderOf(secret)}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    asPage: false,
    maxBytes: ANSWER_BYTES,
    timeoutMs: HTTP_SECONDS_MAX * 1_000,
  };
}

const Part = z.object({ text: z.string().optional(), url: z.string().optional(), data: z.unknown().optional() });
const Parts = z.array(Part).max(1_000).default([]);
const Said = z.object({ parts: Parts });
const Task = z.object({
  id: z.string().max(200),
  status: z.object({ state: z.string().max(64), message: Said.optional() }),
  artifacts: z
    .array(z.object({ name: z.string().optional(), parts: Parts }))
    .max(1_000)
    .default([]),
});
const Answer = z.union([
  z.object({ error: z.object({ code: z.number(), message: z.string() }) }),
  z.object({ result: z.union([z.object({ task: Task }), z.object({ message: Said }), Task]) }),
]);

const wordsOf = (parts: z.output<typeof Parts>): string =>
  parts.flatMap(({ text, url, data }) => text ?? url ?? (data === undefined ? [] : [JSON.stringify(data)])).join('\n');

/** The next step for the model, by the state of the task. */
const NEXT: Readonly<Record<string, string>> = {
  TASK_STATE_SUBMITTED: 'It works: read the task later.',
  TASK_STATE_WORKING: 'It works: read the task later.',
  TASK_STATE_INPUT_REQUIRED: 'It asks: reply with message and task.',
  TASK_STATE_AUTH_REQUIRED: 'It needs a sign-in that only a person can do.',
};

function taskInWords({ id, status, artifacts }: z.output<typeof Task>): string {
  const { state, message } = status;
  const made = artifacts.map(({ name, parts }) => [name, wordsOf(parts)].filter(Boolean).join(':\n'));
  const head = `Task ${id}: ${state.replace(/^TASK_STATE_/, '').toLowerCase()}. ${NEXT[state] ?? ''}`.trimEnd();
  return [head, wordsOf(message?.parts ?? []), ...made].filter(Boolean).join('\n\n');
}

const BrokerRefusal = z.object({ reason: z.string().refine(isEgressRefusal) });

/** The broker answers in place of the agent if a rule or a person refuses the request. Its words stay out: the agent could imitate them. */
function refusalOf(read: unknown): HandsEnd['outcome'] {
  const { data } = BrokerRefusal.safeParse(read);
  return data === undefined
    ? failed('agent_refused', "The agent refuses the village's token: ask an admin to correct it.")
    : failed(data.reason, `The request was refused on its way, and not by the agent (${data.reason}).`);
}

/** The outcome of a call from the agent's answer. An answer is text from outside, even if the agent refuses. Pure. */
export function outcomeOfCall(answer: string, status: number): HandsEnd['outcome'] {
  const read = readJson(answer);
  if (status === 401 || status === 403) return refusalOf(read);
  const parsed = Answer.safeParse(read);
  if (!parsed.success)
    return failed('agent_failed', `The agent answered with status ${status}, but not with a task or a message.`);
  if ('error' in parsed.data) {
    const { code, message } = parsed.data.error;
    return fromOutside(`The agent refuses with ${code}: ${message.slice(0, REFUSAL_MAX_CHARS).toWellFormed()}`);
  }
  const { result } = parsed.data;
  const task = 'task' in result ? result.task : 'id' in result ? result : null;
  const words = task !== null ? taskInWords(task) : 'message' in result ? wordsOf(result.message.parts) : '';
  return fromOutside(words.slice(0, TEXT_MAX_CHARS).toWellFormed());
}

interface Got {
  readonly facts: Fetched;
  readonly record: EndedProcess;
}

/** Calls agents of other systems that an admin has listed. Its description names them. */
export function callAgent(kit: HandsKit): Tool {
  const agents = new Map(kit.outsideAgents.map((agent) => [agent.name, agent]));
  const names = [...agents.keys()].join(', ');
  const tool = handsTool(kit, 'call_agent', {
    timeoutMs: HTTP_SECONDS_MAX * 1_000 + SLACK_MS,
    mayWait: true,
    perform: async ({ agent: name, ...call }, job) => {
      const agent = agents.get(name);
      if (agent === undefined)
        return { outcome: failed('no_such_agent', `There is no agent ${name}: use one of ${names}.`), report: {} };
      let got: Got | undefined;
      const { run, call: callId } = job.context;
      const end = await fetchInHands(job, callRequest(agent, call, `${run}/${callId}`), (facts, record) => {
        got = { facts, record };
        return { outcome: okay(''), report: {} };
      });
      if (got === undefined) return end;
      const answer = await keptOutput(job, got.record, ANSWER_BYTES);
      return { outcome: outcomeOfCall(answer.toString(), got.facts.status), report: { bytes: got.facts.bytes } };
    },
  });
  return { ...tool, description: `${tool.description} Agents: ${names}.` };
}
