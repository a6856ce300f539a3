import { z } from 'zod';
import type { Received, Wish } from '../bot-port.ts';
import { readPress, wishOf } from '../text/read-wish.ts';
import { readSlackText } from './slack-text.ts';

/** Slack itself takes 40,000 characters; escapes make them longer. */
const TEXT_MAX_CHARS = 200_000;
const BLOCKS_MAX = 50;

const Id = z.string().regex(/^[A-Z0-9]{1,24}$/);
const TimeStamp = z.string().regex(/^\d{1,12}\.\d{1,9}$/);

const EventPayload = z.object({
  type: z.literal('event_callback'),
  team_id: Id,
  event_id: z.string().regex(/^[\w.-]{1,64}$/),
  event: z.object({
    type: z.enum(['message', 'app_mention']),
    subtype: z.string().optional(),
    bot_id: z.string().optional(),
    user: Id,
    channel_type: z.string().optional(),
    text: z.string().max(TEXT_MAX_CHARS).default(''),
  }),
});

const PressPayload = z.object({
  type: z.literal('block_actions'),
  team: z.object({ id: Id }),
  user: z.object({ id: Id }),
  /** A conversation of two begins with D. */
  container: z.object({ channel_id: z.string().regex(/^D[A-Z0-9]{1,24}$/), message_ts: TimeStamp }),
  message: z.object({ blocks: z.array(z.looseObject({ type: z.string() })).max(BLOCKS_MAX) }),
  actions: z.array(z.object({ value: z.string().max(64), action_ts: TimeStamp })).length(1),
});

/** A message or a press, as the village takes it. */
export interface Read {
  readonly received: Received;
  /** The pressed message without its buttons. */
  readonly blocks: readonly object[];
}

/** The id of a message: its conversation and its time stamp. */
export const messageIdOf = (channel: string, ts: string): string => `${channel} ${ts}`;

export function readMessageId(messageId: string): { readonly channel: string; readonly ts: string } {
  const [channel = '', ts = ''] = messageId.split(' ');
  return { channel, ts };
}

/** Slack names people within a workspace. */
const senderOf = (team: string, user: string): Received['sender'] => ({ id: `${team} ${user}`, name: user });

function wishOfText(text: string): Wish {
  const written = readSlackText(text);
  // Slack keeps messages that begin with a slash for itself.
  const wish = wishOf(written.startsWith('!') ? `/${written.slice(1)}` : written);
  return wish.kind === 'say' ? { kind: 'say', text: written } : wish;
}

/** A mention in a channel never links an account: others could use a code that is written there. */
function wishOfMention(text: string): Wish | null {
  const wish = wishOfText(text.replace(/^\s*<@[A-Z0-9]+(?:\|[^<>]*)?>[\s,:]*/, ''));
  if (wish.kind !== 'link') return wish;
  return wish.word === null ? null : { kind: 'say', text: wish.word };
}

function wishOfEvent({ type, subtype, channel_type: place, text }: z.infer<typeof EventPayload>['event']): Wish | null {
  if (subtype === 'file_share') return { kind: 'unreadable' };
  if (subtype !== undefined) return null;
  if (type === 'app_mention') return wishOfMention(text);
  return place === 'im' ? wishOfText(text) : null;
}

function readEvent({ team_id: team, event_id: updateId, event }: z.infer<typeof EventPayload>): Read | null {
  const wish = event.bot_id === undefined ? wishOfEvent(event) : null;
  if (wish === null) return null;
  return { received: { updateId, sender: senderOf(team, event.user), wish, press: null }, blocks: [] };
}

function readAction({ team, user, container, message, actions }: z.infer<typeof PressPayload>): Read | null {
  const [action] = actions;
  const wish = action === undefined ? null : readPress(action.value);
  if (action === undefined || wish === null) return null;
  const { channel_id: channel, message_ts: ts } = container;
  const press = { id: action.action_ts, messageId: messageIdOf(channel, ts) };
  const updateId = `${channel} ${ts} ${action.action_ts}`;
  return {
    received: { updateId, sender: senderOf(team.id, user.id), wish, press },
    blocks: message.blocks.filter(({ type }) => type !== 'actions'),
  };
}

/**
 * Reads the payload of an envelope; null for one that the village ignores: of another bot, of an edited message, or of a
 * message in a channel that does not mention the bot. Pure.
 */
export function readPayload(payload: unknown): Read | null {
  const event = EventPayload.safeParse(payload);
  if (event.success) return readEvent(event.data);
  const press = PressPayload.safeParse(payload);
  return press.success ? readAction(press.data) : null;
}
