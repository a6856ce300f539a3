import type { AllowRule, AllowScope, Permission, PermissionAnswer, Role } from '@hamlet/contract';
import { isEgressTool, REACH_HOST } from '@hamlet/contract';
import { villageTool } from '@hamlet/contract/tools';
import { actorLabel, isOwn, type ViewerId } from '../../client/labels.ts';
import type { Tone } from '../../ui/controls.tsx';
import { lengthLabel, timeAgo } from '../../ui/time-labels.ts';
import { toolLabel } from './tool-labels.ts';

type AnswerChoice = Readonly<{
  answer: PermissionAnswer;
  word: string;
  look: 'strong' | 'small';
  hint: string;
}>;

const CHOICES: Readonly<Record<Permission['why'], readonly AnswerChoice[]>> = {
  policy: [
    { answer: 'allow', word: 'Allow', look: 'strong', hint: 'Allow this call once, with exactly these arguments' },
    { answer: 'deny', word: 'Deny', look: 'small', hint: 'The call does not happen; the agent reads your words' },
  ],
  unknown: [
    { answer: 'happened', word: 'It happened', look: 'strong', hint: 'The agent continues and does not repeat it' },
    { answer: 'repeat', word: 'Repeat it', look: 'small', hint: 'The call runs again: it may then happen twice' },
  ],
  question: [
    { answer: 'allow', word: 'Send answer', look: 'strong', hint: 'The agent reads these words' },
    { answer: 'deny', word: 'Skip', look: 'small', hint: 'The agent continues without an answer' },
  ],
};

/** The answers that a role may give. A request that only an admin may allow can still be denied by a member. */
export function answerChoices(
  { why, allowed_by: by }: Pick<Permission, 'why' | 'allowed_by'>,
  role: Role,
): readonly AnswerChoice[] {
  return by === 'admin' && role !== 'admin' ? CHOICES[why].filter(({ answer }) => answer === 'deny') : CHOICES[why];
}

/** The people who may allow a request, for a person who may not; null for everyone else. */
export function whoMayLabel({ allowed_by: by }: Pick<Permission, 'allowed_by'>, role: Role): string | null {
  return by === 'admin' && role !== 'admin' ? 'Only an admin may allow this. You can deny it.' : null;
}

export function requestLabel({ why, tool }: Pick<Permission, 'why' | 'tool'>, agentName: string): string {
  if (why === 'question') return `${agentName} asks:`;
  const { word } = toolLabel(tool);
  if (why === 'policy') return `${agentName} asks for permission: ${word}`;
  return `Did this happen? ${word}`;
}

export function reasonLabel({ why, reason }: Pick<Permission, 'why' | 'reason'>): string {
  if (why === 'unknown')
    return 'The connection or the pod was lost during this call. Check whether it happened, then answer.';
  return why === 'question' ? '' : reason;
}

/** The time until a pending request counts as denied: `expires in 4 min 12 s`. */
export function expiryLabel({ expires_at: expires }: Pick<Permission, 'expires_at'>, nowMs: number): string {
  const leftMs = Date.parse(expires) - nowMs;
  return leftMs <= 0 ? 'expiring now' : `expires in ${lengthLabel(Math.ceil(leftMs / 1000) * 1000)}`;
}

const ANSWERED: Readonly<Record<PermissionAnswer, string>> = {
  allow: 'Allowed',
  deny: 'Denied',
  happened: 'Answered “it happened”',
  repeat: 'Answered “repeat it”',
};

export function outcomeLabel(
  permission: Pick<Permission, 'state' | 'why' | 'answer' | 'answered_by' | 'rule_id'>,
  viewer: ViewerId,
): Readonly<{ word: string; tone: Tone }> {
  const { state, why, answer, answered_by: by } = permission;
  if (state === 'expired') return { word: 'Expired without an answer: this counts as a denial', tone: 'bad' };
  if (state === 'withdrawn') return { word: 'Withdrawn: the agent no longer needs an answer', tone: 'sleep' };
  if (state === 'pending' || answer === null) return { word: 'Waits for an answer', tone: 'waiting' };
  const said = why === 'question' ? (answer === 'allow' ? 'Answered' : 'Not answered') : ANSWERED[answer];
  const tone = answer === 'deny' ? 'bad' : 'good';
  return { word: by === null ? said : `${said} by ${giverOf(permission.rule_id, by, viewer)}`, tone };
}

function giverOf(rule: string | null, by: NonNullable<Permission['answered_by']>, viewer: ViewerId): string {
  return `${rule === null ? '' : 'a rule of '}${isOwn(by.id, viewer) ? 'you' : nameOf(by, viewer)}`;
}

function nameOf(by: NonNullable<Permission['answered_by']>, viewer: ViewerId): string {
  return by.name === '' ? actorLabel(by.id, by.role, viewer) : by.name;
}

type AlwaysChoice = Readonly<{ scope: AllowScope; word: string; hint: string }>;

/**
 * Only for requests of the policy, and never for a proposed Schedule or a write, which a person must decide one by one. A
 * rule for a host is an admin's, for all runs.
 */
export function alwaysChoices(
  { why, tool, session_id: session }: Pick<Permission, 'why' | 'tool' | 'session_id'>,
  { role, agentName }: { readonly role: Role; readonly agentName: string },
): readonly AlwaysChoice[] {
  if (why !== 'policy' || tool === 'propose_schedule' || (isEgressTool(tool) && tool !== REACH_HOST)) return [];
  return [
    ...(session === null || tool === REACH_HOST
      ? []
      : [
          {
            scope: 'conversation',
            word: 'In this conversation',
            hint: 'Also for your later messages in this conversation',
          } as const,
        ]),
    ...(role === 'admin'
      ? [{ scope: 'agent', word: `For ${agentName}`, hint: `Also for all later runs of ${agentName}` } as const]
      : []),
  ];
}

const BY_COMMAND: ReadonlySet<string> = new Set(['shell', 'git']);

export function reachLabel(tool: string): Readonly<{ word: string; hint: string }> {
  if (tool === REACH_HOST)
    return {
      word: 'Always open this host',
      hint: 'Later runs may read from exactly this name, at the ports above; each write still asks.',
    };
  if (BY_COMMAND.has(tool))
    return {
      word: 'Always allow this command',
      hint: 'Later calls of the same command happen without a question. For a command that only reads, writes or installs, the same programs with other arguments count too.',
    };
  if (villageTool(tool)?.sends !== undefined)
    return {
      word: 'Always allow such requests',
      hint: 'If this call only reads, later ones that only read happen without a question; if it sends, later ones with the same method to the same host.',
    };
  return {
    word: 'Always allow this tool',
    hint: 'Later calls happen without a question, with any arguments.',
  };
}

/** The scope, origin and use of a rule: `for Ada, by you 5 min ago, used 3 times`. */
export function ruleLabel(
  rule: Pick<AllowRule, 'session_id' | 'created_by' | 'created_at' | 'used' | 'tainted' | 'supply'>,
  { viewer, agentName, nowMs }: { readonly viewer: ViewerId; readonly agentName: string; readonly nowMs: number },
): string {
  const { session_id: session, created_by: by, created_at: at, used } = rule;
  const own = isOwn(by.id, viewer);
  const reach = session === null ? `for ${agentName}` : `with ${agentName}, in ${own ? 'your' : 'their'} messages`;
  const times = used === 0 ? 'not used yet' : used === 1 ? 'used once' : `used ${used} times`;
  return `${reach}${alsoAfter(rule)}, by ${own ? 'you' : nameOf(by, viewer)} ${timeAgo(at, nowMs)}, ${times}`;
}

function alsoAfter({ tainted, supply }: Pick<AllowRule, 'tainted' | 'supply'>): string {
  if (!tainted) return '';
  return supply ? ', also after text of its repository or a registry' : ', also after text from outside';
}

export function mayRevoke(
  { created_by: by }: Pick<AllowRule, 'created_by'>,
  { viewer, role }: { readonly viewer: ViewerId; readonly role: Role },
): boolean {
  return role === 'admin' || isOwn(by.id, viewer);
}
