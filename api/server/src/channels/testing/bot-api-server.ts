import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const POLL_STEP_MS = 20;
const TEXT_MAX = 4_096;
const DATA_MAX_BYTES = 64;
const TAGS = /<(\/?)(b|code|pre|a)(?: href="[^"<>]*")?>/g;

const METHODS = {
  getUpdates: z.strictObject({
    offset: z.int(),
    timeout: z.int().min(0).max(50),
    limit: z.int().min(1).max(100),
    allowed_updates: z.array(z.string()),
  }),
  sendMessage: z.strictObject({
    chat_id: z.int(),
    text: z
      .string()
      .min(1)
      .refine((text) => text.isWellFormed(), 'strings must be encoded in UTF-8'),
    parse_mode: z.literal('HTML').optional(),
    link_preview_options: z.strictObject({ is_disabled: z.boolean() }).optional(),
    reply_markup: z
      .strictObject({
        inline_keyboard: z.array(z.array(z.strictObject({ text: z.string(), callback_data: z.string() }))),
      })
      .optional(),
  }),
  editMessageText: z.strictObject({
    chat_id: z.int(),
    message_id: z.int(),
    text: z.string().min(1),
    parse_mode: z.literal('HTML').optional(),
    link_preview_options: z.strictObject({ is_disabled: z.boolean() }).optional(),
  }),
  deleteMessage: z.strictObject({ chat_id: z.int(), message_id: z.int() }),
  answerCallbackQuery: z.strictObject({ callback_query_id: z.string(), text: z.string().max(200) }),
  editMessageReplyMarkup: z.strictObject({ chat_id: z.int(), message_id: z.int() }),
} as const;
type Method = keyof typeof METHODS;

export interface SentMessage {
  readonly chatId: number;
  readonly messageId: number;
  /** As the person reads it: without tags. */
  readonly text: string;
  readonly html: string | null;
  readonly buttons: readonly { readonly text: string; readonly data: string }[];
}

interface SentFile {
  readonly chatId: number;
  readonly name: string;
  readonly mediaType: string;
  readonly text: string;
}

class Refusal extends Error {
  readonly code: number;
  readonly retryAfter: number | undefined;
  constructor(code: number, description: string, retryAfter?: number) {
    super(description);
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

/** The text that Telegram shows for an HTML message. Refuses unknown and unbalanced tags as Telegram does. */
function shownText(html: string): string {
  const open: string[] = [];
  const text = html.replace(TAGS, (_, end: string, tag: string) => {
    if (end === '') open.push(tag);
    else if (open.pop() !== tag) throw new Refusal(400, "Bad Request: can't parse entities");
    return '';
  });
  if (open.length > 0 || /[<>]/.test(text)) throw new Refusal(400, "Bad Request: can't parse entities");
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

/** A stand-in of Telegram's Bot API for one bot, as strict as Telegram where the village depends on it. */
export class BotApiServer {
  readonly sent: SentMessage[] = [];
  readonly notices: string[] = [];
  /** Messages whose buttons the village removed. */
  readonly unbuttoned: number[] = [];
  readonly files: SentFile[] = [];
  readonly edits: { readonly messageId: number; readonly text: string }[] = [];
  readonly deleted: number[] = [];
  readonly #token: string;
  #updates: { readonly update_id: number; readonly [part: string]: unknown }[] = [];
  #next = 700;
  #polling = 0;
  #refusals: Refusal[] = [];
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  constructor(token: string) {
    this.#token = token;
  }

  async start(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async remove(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  /** The next messages are refused, each once: with 429 and `retryAfter` seconds, or with the code. */
  refuseNext(code: number, retryAfter?: number): void {
    this.#refusals.push(new Refusal(code, 'Too Many Requests', retryAfter));
  }

  /** True once the village has confirmed every update. */
  get isEmpty(): boolean {
    return this.#updates.length === 0;
  }

  write(
    from: number,
    text: string,
    of: { readonly id?: number; readonly type?: string; readonly name?: string } = {},
  ): void {
    const { id = from, type = 'private', name = `Person ${from}` } = of;
    const message = {
      message_id: this.#next,
      date: 0,
      from: { id: from, is_bot: false, first_name: name },
      chat: { id, type },
      text,
    };
    this.#updates.push({ update_id: this.#take(), message });
  }

  /** Forgets updates, as Telegram does after a day, and numbers the next ones from here, as it does at random after a week without one. */
  renumber(next: number): void {
    this.#updates = [];
    this.#next = next;
  }

  /** An update of a kind that the village cannot read. */
  writeStrange(): void {
    this.#updates.push({ update_id: this.#take(), message: { chat: 'none' } });
  }

  press(from: number, data: string, { name = `Person ${from}` } = {}): void {
    const message = { message_id: this.#next, chat: { id: from, type: 'private' } };
    const press = { id: `press-${this.#next}`, from: { id: from, is_bot: false, first_name: name }, message, data };
    this.#updates.push({ update_id: this.#take(), callback_query: press });
  }

  #take(): number {
    return (this.#next += 1);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await this.#answer(request).then(
      (result) => ({ ok: true, result }),
      (error: unknown) => {
        if (!(error instanceof Refusal)) return { ok: false, error_code: 400, description: String(error) };
        const parameters = error.retryAfter === undefined ? {} : { parameters: { retry_after: error.retryAfter } };
        return { ok: false, error_code: error.code, description: error.message, ...parameters };
      },
    );
    const status = 'error_code' in answer ? answer.error_code : 200;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }

  async #answer(request: IncomingMessage): Promise<unknown> {
    const [, token, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? [];
    if (token !== this.#token) throw new Refusal(401, 'Unauthorized');
    if (method === 'getMe') return { id: 4711, is_bot: true, first_name: 'Ada', username: 'ada_bot' };
    if (method !== 'sendDocument' && !Object.hasOwn(METHODS, method)) throw new Refusal(404, 'Not Found');
    if (method === 'sendDocument') return this.#takeFile(request);
    const body: unknown = JSON.parse(Buffer.concat(await request.toArray()).toString('utf8'));
    const given = METHODS[method as Method].parse(body);
    return 'offset' in given ? this.#poll(given, request) : this.#write(method as Method, given);
  }

  #write(method: Method, given: Exclude<z.infer<(typeof METHODS)[Method]>, { offset: number }>): unknown {
    const refusal = this.#refusals.shift();
    if (refusal !== undefined) throw refusal;
    if (method === 'sendMessage') return this.#send(METHODS.sendMessage.parse(given));
    return this.#change(method, given);
  }

  #change(method: Method, given: Exclude<z.infer<(typeof METHODS)[Method]>, { offset: number }>): true {
    if ('callback_query_id' in given) this.notices.push(given.text);
    else if ('text' in given) this.edits.push({ messageId: Number(Object(given).message_id), text: given.text });
    else if (method === 'deleteMessage') this.deleted.push(given.message_id);
    else this.unbuttoned.push(given.message_id);
    return true;
  }

  async #takeFile(request: IncomingMessage): Promise<unknown> {
    const headers = { 'content-type': request.headers['content-type'] ?? '' };
    const form = await new Response(Buffer.concat(await request.toArray()), { headers }).formData();
    const document = form.get('document');
    if (!(document instanceof File) || document.size === 0)
      throw new Refusal(400, 'Bad Request: file must be non-empty');
    const chatId = Number(form.get('chat_id'));
    this.files.push({ chatId, name: document.name, mediaType: document.type, text: await document.text() });
    return { message_id: this.#take(), chat: { id: chatId, type: 'private' }, date: 0 };
  }

  async #poll(given: { offset: number; timeout: number; limit: number }, request: IncomingMessage): Promise<unknown> {
    if (this.#polling > 0) throw new Refusal(409, 'Conflict: terminated by other getUpdates request');
    this.#polling += 1;
    try {
      this.#updates = this.#updates.filter((update) => update.update_id >= given.offset);
      const untilMs = Date.now() + given.timeout * 1_000;
      while (this.#updates.length === 0 && Date.now() < untilMs && !request.destroyed)
        await new Promise((done) => setTimeout(done, POLL_STEP_MS));
      return this.#updates.slice(0, given.limit);
    } finally {
      this.#polling -= 1;
    }
  }

  #send({
    chat_id: chatId,
    text,
    parse_mode: mode,
    reply_markup: markup,
  }: z.infer<typeof METHODS.sendMessage>): unknown {
    const shown = mode === undefined ? text : shownText(text);
    if (shown.length > TEXT_MAX) throw new Refusal(400, 'Bad Request: message is too long');
    const buttons = (markup?.inline_keyboard ?? []).flat().map(({ text: word, callback_data: data }) => {
      if (Buffer.byteLength(data) > DATA_MAX_BYTES) throw new Refusal(400, 'Bad Request: BUTTON_DATA_INVALID');
      return { text: word, data };
    });
    const messageId = this.#take();
    this.sent.push({ chatId, messageId, text: shown, html: mode === undefined ? null : text, buttons });
    return { message_id: messageId, chat: { id: chatId, type: 'private' }, date: 0 };
  }
}
