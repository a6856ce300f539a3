import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { AgentId, Time } from '../../values/scalars.ts';
import { ofPeople } from './account.ts';

/** Maximum number of needs in one answer. */
export const NEEDS_MAX = 50;

/** In the order of the answer: agents wait for the first two, money for the third. */
export const NEED_KINDS = [
  'permission',
  'question',
  'result',
  'parked',
  'stopped',
  'budget',
  'hour',
  'blocked',
  'failing',
  'moderation',
  'difference',
  'credit',
  'mail',
] as const;
export type NeedKind = (typeof NEED_KINDS)[number];

/** The routes that settle a need with its id alone. `createRun` continues the run, `raiseRun` refills its limits. */
const NEED_REMEDIES = ['answerPermission', 'acceptOffer', 'createRun', 'raiseRun'] as const;

const Need = z.strictObject({
  kind: z
    .enum(NEED_KINDS)
    .describe(
      '`parked`: a run that waits for its model. `stopped`: a run that ended at a limit or repeated ' +
        'itself. `budget` and `hour`: 80 % of the limits of a run, or of the tokens of an agent in its ' +
        'hour, are used. `blocked`: an agent cannot run. `failing`: its last three runs failed. ' +
        '`difference`: books and statement differ. `credit`: a proposal of another admin. `mail`: the ' +
        'mail server or a push service does not accept notices',
    ),
  id: z
    .string()
    .describe(
      'Id of the request, run, agent, post, reply, difference or credit; `smtp` for the mail server, `push` for push services',
    ),
  agent_id: AgentId.nullable(),
  since: Time,
  line: z.string().describe('In words that follow the name of the agent, if there is one'),
  link: z.string().describe('Its page in the web, from the root of the village'),
  remedy: z
    .strictObject({ route: z.enum(NEED_REMEDIES), label: z.string() })
    .nullable()
    .describe('The route that settles it, and the word for it; null if the page of the link is needed'),
});
export type Need = z.infer<typeof Need>;

export const listMyNeeds = defineRoute('listMyNeeds GET /me/needs', {
  ...ofPeople,
  permission: 'runs:read',
  summary:
    'List what waits for the caller: requests, questions, results, runs that cannot continue, limits nearly used; for admins also agents, flags and payments',
  answer: json(
    z.strictObject({
      needs: z.array(Need).max(NEEDS_MAX),
      more: z.boolean().describe(`True if there are more than ${NEEDS_MAX}`),
    }),
  ),
});

const Waiting = z.int().min(0).max(NEEDS_MAX);

/** Clients that were written before `GET /me/needs` ask this: the sizes of its first three kinds. */
export const countWaitingWork = defineRoute('countWaitingWork GET /waiting', {
  tag: 'runs',
  permission: 'runs:read',
  summary: 'Count the first three kinds of `GET /me/needs`, which replaces this route',
  answer: json(
    z.strictObject({
      permissions: Waiting.describe('Requests for a permission'),
      questions: Waiting.describe('Questions of agents'),
      results: Waiting.describe('Finished runs whose offer the caller made and has not answered'),
    }),
  ),
});
