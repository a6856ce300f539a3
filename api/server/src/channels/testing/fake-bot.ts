import type { Bot, OutgoingFile, OutgoingMessage } from '../bot-port.ts';

export interface FakeBot extends Bot {
  readonly sent: (OutgoingMessage & { readonly id: string })[];
  readonly edits: { readonly id: string; readonly text: string }[];
  readonly removed: string[];
  readonly files: (Pick<OutgoingFile, 'to' | 'name' | 'mediaType'> & { readonly text: string })[];
}

/** A bot whose messenger is this process: it keeps what the village sends. */
export function fakeBot(agentId: string, receive: Bot['receive'] = () => Promise.resolve()): FakeBot {
  const sent: FakeBot['sent'][number][] = [];
  const edits: FakeBot['edits'][number][] = [];
  const removed: string[] = [];
  const files: FakeBot['files'][number][] = [];
  return {
    channel: 'telegram',
    agentId,
    id: `bot of ${agentId}`,
    commandSign: '/',
    partMaxChars: 1_000,
    fileMaxBytes: 1_000,
    sent,
    edits,
    removed,
    files,
    receive,
    reply: () => Promise.resolve(),
    page: () => Promise.resolve(null),
    send: async (message) => {
      const id = `m${sent.length + 1}`;
      sent.push({ ...message, id });
      return id;
    },
    sendFile: async ({ to, name, mediaType, content }) =>
      void files.push({ to, name, mediaType, text: Buffer.from(content).toString('utf8') }),
    edit: async (id, { text }) => void edits.push({ id, text }),
    remove: async (_, id) => void removed.push(id),
  };
}
