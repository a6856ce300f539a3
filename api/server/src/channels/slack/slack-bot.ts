import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bot, OutgoingMessage, Received } from '../bot-port.ts';
import { messageIdOf, readMessageId } from './read-payload.ts';
import { plainText, richText } from './rich-text.ts';
import { createSlackApi, type SlackMessage, type SlackTokens } from './slack-api.ts';
import { SlackInbox } from './slack-inbox.ts';
import { noticeText } from './slack-text.ts';

/** Before formatting. Slack takes about 13,200 characters of blocks. */
const PART_MAX_CHARS = 3_000;
/** Slack takes 1 GB; an artifact has at most 5 MiB. */
const FILE_MAX_BYTES = 20 * 1024 * 1024;
/** Slack takes one message a second in a conversation. */
const PACE_MS = 1_000;
const CHATS_MAX = 1_000;

interface SlackPorts {
  /** Origin of the Web API. */
  readonly url: string;
  readonly monotonicMs: () => number;
  readonly paceMs?: number;
  readonly idleMs?: number;
}

/** The direct conversations of a bot, and the pace of each. */
class Chats {
  readonly #open: (user: string) => Promise<string>;
  readonly #ports: SlackPorts;
  readonly #ids = new Map<string, string>();
  readonly #freeAtMs = new Map<string, number>();

  constructor(ports: SlackPorts, open: (user: string) => Promise<string>) {
    this.#ports = ports;
    this.#open = open;
  }

  /** Resolves with the id of the conversation once its pace allows another message. */
  async ready(to: string): Promise<string> {
    const known = this.#ids.get(to);
    const chat = known ?? (await this.#open(to.split(' ')[1] ?? to));
    if (this.#ids.size >= CHATS_MAX) this.#ids.clear();
    this.#ids.set(to, chat);
    const { monotonicMs, paceMs = PACE_MS } = this.#ports;
    const nowMs = monotonicMs();
    const freeAtMs = Math.max(nowMs, this.#freeAtMs.get(chat) ?? 0);
    if (this.#freeAtMs.size >= CHATS_MAX) this.#freeAtMs.clear();
    this.#freeAtMs.set(chat, freeAtMs + paceMs);
    if (freeAtMs > nowMs) await sleep(freeAtMs - nowMs);
    return chat;
  }
}

type Shown = Pick<OutgoingMessage, 'text' | 'isMarkdown' | 'buttons'>;

function shownMessage({ text, isMarkdown = false, buttons = [] }: Shown): Omit<SlackMessage, 'channel'> {
  const shown = isMarkdown ? richText(text) : plainText(text);
  const elements = buttons.map(({ text: word, data }) => ({
    type: 'button',
    text: { type: 'plain_text', text: word },
    action_id: data,
    value: data,
  }));
  const rows = elements.length === 0 ? [] : [{ type: 'actions', elements }];
  return { text: noticeText(text), blocks: [shown, ...rows] };
}

/** The bot of an agent at Slack, through Socket Mode. */
export function slackBot(ports: SlackPorts, agentId: string, tokens: SlackTokens): Bot {
  const api = createSlackApi(ports.url, tokens);
  const inbox = new SlackInbox({ ...ports, api });
  const chats = new Chats(ports, api.openChat);
  /** The pressed messages without their buttons. */
  const pressed = new WeakMap<Received, readonly object[]>();

  /** Only a link keeps the name of its person; without the right to read names it keeps their id. */
  async function named(received: Received): Promise<Received> {
    if (received.wish.kind !== 'link' && received.wish.kind !== 'confirm_link') return received;
    const { id, name: user } = received.sender;
    return { ...received, sender: { id, name: await api.nameOf(user).catch(() => user) } };
  }

  async function say(to: string, shown: Shown): Promise<string> {
    const channel = await chats.ready(to);
    return messageIdOf(channel, await api.post({ channel, ...shownMessage(shown) }));
  }

  async function update(messageId: string, message: Omit<SlackMessage, 'channel'>): Promise<void> {
    const { channel, ts } = readMessageId(messageId);
    await api.update(ts, { channel, ...message });
  }

  return {
    channel: 'slack',
    agentId,
    id: createHash('sha256').update(tokens.app).digest('hex').slice(0, 32),
    commandSign: '!',
    partMaxChars: PART_MAX_CHARS,
    fileMaxBytes: FILE_MAX_BYTES,
    receive: (take, signal) =>
      inbox.receive(async ({ received, blocks }) => {
        const known = await named(received);
        pressed.set(known, blocks);
        await take(known);
      }, signal),
    reply: async (received, { text, isDecided, buttons = [] }) => {
      const { press, sender } = received;
      if (press !== null && isDecided) {
        const words = text ?? 'Decided.';
        const blocks = [...(pressed.get(received) ?? []), plainText(words)];
        await update(press.messageId, { text: noticeText(words), blocks });
      } else if (text !== null) await say(sender.id, { text, buttons });
    },
    page: () => Promise.resolve(null),
    send: ({ to, ...shown }) => say(to, shown),
    sendFile: async ({ to, ...file }) => api.sendFile(await chats.ready(to), file),
    edit: (messageId, { text, isMarkdown = false }) => update(messageId, shownMessage({ text, isMarkdown })),
    remove: async (_, messageId) => {
      const { channel, ts } = readMessageId(messageId);
      await api.remove(channel, ts);
    },
  };
}
