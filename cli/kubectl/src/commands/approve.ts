import type { CallInput, Client, Permission, PermissionAnswer } from '@hamlet/contract';
import { answerPermission, dataOf } from '@hamlet/contract';
import { Failure, type Command, type Invocation } from '../command.ts';
import { apiCommand } from '../village-api.ts';
import { pendingPermissions } from './permissions.ts';

/** Minimum length of a prefix, so that a typo does not select another permission. */
const PREFIX_MIN = 6;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export type AnswerBody = CallInput<typeof answerPermission>['body'];

export function answerOf({ flags }: Pick<Invocation, 'flags'>, base: 'allow' | 'deny'): AnswerBody {
  const { reason, reply, happened, repeat } = flags;
  if (happened === true && repeat === true) throw new Failure('give --happened or --repeat, but not both', 2);
  const answer: PermissionAnswer = happened === true ? 'happened' : repeat === true ? 'repeat' : base;
  return {
    answer,
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(typeof reply === 'string' ? { reply } : {}),
  };
}

/** Expands a prefix to the id of the only pending permission that has it. */
async function idOf(api: Client, text: string): Promise<string> {
  const beginning = text.toLowerCase();
  if (UUID.test(beginning)) return beginning;
  if (beginning.length < PREFIX_MIN) throw new Failure(`write at least ${PREFIX_MIN} characters of the id`, 2);
  const found = (await pendingPermissions(api, undefined)).filter(({ permission_id: id }) => id.startsWith(beginning));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only.permission_id;
  throw new Failure(
    found.length === 0
      ? `no pending permission begins with ${text}; "kubectl hamlet permissions" lists them`
      : `${found.length} permissions begin with ${text}: write more of the id`,
  );
}

export async function sendAnswer(api: Client, id: string, body: AnswerBody): Promise<Permission> {
  return (await dataOf(api.call(answerPermission, { params: { permission_id: id }, body }))).permission;
}

const WORDS = { reason: { type: 'string' }, reply: { type: 'string' } } as const;
const ID_DETAILS =
  'ID comes from "kubectl hamlet permissions"; a prefix suffices if only one pending permission has it.';

const answering = (
  base: 'allow' | 'deny',
  command: Pick<Command, 'name' | 'usage' | 'summary' | 'details' | 'options'>,
): Command =>
  apiCommand({
    ...command,
    details: `${ID_DETAILS}\n${command.details}`,
    names: [1, 1],
    act: (invocation) => ({ id: invocation.names[0] ?? '', body: answerOf(invocation, base) }),
    read: async (api, { id, body }) => sendAnswer(api, await idOf(api, id), body),
    text: ({ agent_id: agent, tool, state }) => `${tool} of ${agent}: ${state}`,
  });

export const approve = answering('allow', {
  name: 'approve',
  usage: 'ID [--reply=TEXT] [--reason=TEXT] [--happened|--repeat]',
  summary: 'allows the call that an agent asks for, or answers its question',
  details: `--reply answers a question of the agent; with another call the agent reads it beside the result. If the end of a call is
unknown, --happened says that it happened, and --repeat lets the agent repeat it. The audit keeps --reason; without
--reply the agent reads it.`,
  options: { ...WORDS, happened: { type: 'boolean' }, repeat: { type: 'boolean' } },
});

export const deny = answering('deny', {
  name: 'deny',
  usage: 'ID [--reason=TEXT] [--reply=TEXT]',
  summary: 'denies the call that an agent asks for',
  details: `The agent continues without the call, and reads the words of --reply as yours. Without --reply it reads those of
--reason, which the audit keeps too.`,
  options: WORDS,
});
