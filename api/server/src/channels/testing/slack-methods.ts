import { z } from 'zod';

const TEXT_MAX_CHARS = 40_000;
const BLOCKS_JSON_MAX_CHARS = 13_172;

const Style = z.strictObject({ bold: z.literal(true).optional(), code: z.literal(true).optional() });
const Piece = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string().min(1), style: Style.optional() }),
  z.strictObject({ type: z.literal('link'), text: z.string().optional(), url: z.url({ protocol: /^https?$/ }) }),
]);
const RichText = z.strictObject({
  type: z.literal('rich_text'),
  block_id: z.string().optional(),
  elements: z
    .array(
      z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('rich_text_section'), elements: z.array(Piece).min(1) }),
        z.strictObject({ type: z.literal('rich_text_preformatted'), elements: z.array(Piece).min(1) }),
      ]),
    )
    .min(1),
});
const Actions = z.strictObject({
  type: z.literal('actions'),
  elements: z
    .array(
      z.strictObject({
        type: z.literal('button'),
        text: z.strictObject({ type: z.literal('plain_text'), text: z.string().min(1).max(75) }),
        action_id: z.string().min(1).max(255),
        value: z.string().max(2_000),
      }),
    )
    .min(1)
    .max(25),
});
const Blocks = z
  .array(z.discriminatedUnion('type', [RichText, Actions]))
  .min(1)
  .max(50);
export type Blocks = z.infer<typeof Blocks>;

const Dm = z.string().regex(/^D[A-Z0-9]+$/);
const shown = {
  channel: Dm,
  text: z.string().min(1),
  blocks: z.string(),
  unfurl_links: z.literal('false'),
  unfurl_media: z.literal('false'),
};
/** The fields of each method, as the form has them. */
export const METHODS = {
  'apps.connections.open': z.strictObject({}),
  'conversations.open': z.strictObject({ users: z.string().regex(/^U[A-Z0-9]+$/) }),
  'users.info': z.strictObject({ user: z.string() }),
  'chat.postMessage': z.strictObject(shown),
  'chat.update': z.strictObject({ ts: z.string(), ...shown }),
  'chat.delete': z.strictObject({ channel: Dm, ts: z.string() }),
  'files.getUploadURLExternal': z.strictObject({ filename: z.string().min(1), length: z.string().regex(/^[1-9]\d*$/) }),
  'files.completeUploadExternal': z.strictObject({ files: z.string(), channel_id: Dm }),
} as const;
export type Method = keyof typeof METHODS;

/** A refusal of the Web API; with 429 if it names a time, in seconds. */
export class SlackRefusal extends Error {
  readonly retryAfter: number | undefined;
  constructor(error: string, retryAfter?: number) {
    super(error);
    this.retryAfter = retryAfter;
  }
}

function piecesOf(blocks: Blocks): readonly z.infer<typeof Piece>[] {
  return blocks.flatMap((block) =>
    block.type === 'rich_text' ? block.elements.flatMap(({ elements }) => elements) : [],
  );
}

/** Blocks that Slack takes, or its refusal. */
function blocksOf(json: string): Blocks {
  if (json.length > BLOCKS_JSON_MAX_CHARS) throw new SlackRefusal('msg_blocks_too_long');
  const { success, data } = Blocks.safeParse(JSON.parse(json));
  if (!success) throw new SlackRefusal('invalid_blocks');
  return data;
}

export interface ShownMessage {
  /** As the person reads it. */
  readonly text: string;
  /** Words of the notification. */
  readonly notice: string;
  /** Pieces with a style, and links, as `bold:words`. */
  readonly styled: readonly string[];
  readonly buttons: readonly { readonly text: string; readonly value: string }[];
}

/** A message as Slack shows it, or its refusal. */
export function readMessage(given: Readonly<Record<string, string>>): ShownMessage & { readonly blocks: Blocks } {
  const { text: notice = '' } = given;
  // A raw sign would begin a mention or a link in the notification.
  if (notice.length > TEXT_MAX_CHARS || /[<>]|&(?!amp;|lt;|gt;)/.test(notice))
    throw new SlackRefusal('invalid_arguments');
  const blocks = blocksOf(given['blocks'] ?? '[]');
  const pieces = piecesOf(blocks);
  const styled = pieces.flatMap((piece) => {
    if (piece.type === 'link') return [`link:${piece.text}:${piece.url}`];
    return Object.keys(piece.style ?? {}).map((style) => `${style}:${piece.text}`);
  });
  const buttons = blocks
    .flatMap((block) => (block.type === 'actions' ? block.elements : []))
    .map(({ text: word, value }) => ({ text: word.text, value }));
  return { text: pieces.map((piece) => piece.text).join(''), notice, styled, buttons, blocks };
}
