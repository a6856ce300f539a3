import { z } from 'zod';
import { defineRoute, json } from '../../http/route.ts';
import { AgentId, Time } from '../../values/scalars.ts';
import { ofPeople } from '../people/account.ts';

/** Messengers through which people talk with an agent. */
export const CHANNELS = ['telegram', 'slack'] as const;
export type Channel = (typeof CHANNELS)[number];

const Link = z.strictObject({
  identity_id: z.uuid(),
  channel: z.enum(CHANNELS),
  name: z.string().describe('Name at the messenger, as it was when the person linked it'),
  linked_at: Time,
});
export type ChannelLink = z.infer<typeof Link>;

const Bot = z.strictObject({
  agent_id: AgentId,
  channel: z.enum(CHANNELS),
  bot_page: z
    .url()
    .nullable()
    .describe('Page that opens the bot, where `?start=CODE` sends it a code; null if the messenger has none'),
});
export type ChannelBot = z.infer<typeof Bot>;

const mine = { ...ofPeople, permission: 'account:self' } as const;

export const listMyChannels = defineRoute('listMyChannels GET /me/channels', {
  ...mine,
  summary: 'The messengers that act as you, and the agents that one can write to',
  answer: json(
    z.strictObject({
      links: z.array(Link),
      agents: z.array(Bot),
    }),
  ),
  reasons: ['session_needed'],
});

export const createChannelCode = defineRoute('createChannelCode POST /me/channels/code', {
  ...mine,
  summary: 'Create a code that links a messenger to you: send it to the bot of an agent within ten minutes',
  // A newer code replaces the earlier one; the API does not store the answer, because it contains the code.
  idempotency: 'natural',
  status: 201,
  answer: json(z.strictObject({ code: z.string(), expires_at: Time })),
  reasons: ['session_needed'],
});

export const unlinkMyChannel = defineRoute('unlinkMyChannel DELETE /me/channels/{identity_id}', {
  ...mine,
  summary: 'End the link of a messenger: its messages no longer act as you',
  idempotency: 'natural',
  answer: json(z.strictObject({ unlinked: z.literal(true) })),
  reasons: ['session_needed', 'no_such_channel'],
});
