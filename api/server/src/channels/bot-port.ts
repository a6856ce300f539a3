import type { Channel, PermissionAnswer } from '@hamlet/contract';

/** The wish of a person in a message. */
export type Wish =
  /** `word` is the text itself if it looks like a code, as many words of ten letters do; null for a command. */
  | { readonly kind: 'link'; readonly code: string; readonly word: string | null }
  /** A press of a button under the question whether to link the chat to the account of a code. */
  | { readonly kind: 'confirm_link'; readonly code: string }
  | { readonly kind: 'cancel_link' }
  | { readonly kind: 'say'; readonly text: string }
  /** A task for which the person offers aiDollars. */
  | { readonly kind: 'offer'; readonly amount: string; readonly task: string }
  | { readonly kind: 'begin_new' | 'help' | 'unreadable' }
  | { readonly kind: 'answer'; readonly permissionId: string; readonly answer: PermissionAnswer };

/** A message of one person, or the press of a button. Every answer goes to a place that no other person reads. */
export interface Received {
  /** Unique among the messages of the bot for at least a day, so that its effect happens once. */
  readonly updateId: string;
  readonly sender: { readonly id: string; readonly name: string };
  readonly wish: Wish;
  /** The pressed button and its message, if one was pressed. */
  readonly press: { readonly id: string; readonly messageId: string } | null;
}

export interface Reply {
  /** Null if the person gets no text. */
  readonly text: string | null;
  /** True if no button of the pressed message has an effect any more. */
  readonly isDecided: boolean;
  /** Buttons under the text. */
  readonly buttons?: readonly Button[];
  /** True to answer a press with a message, which stays, instead of a short notice. */
  readonly stays?: boolean;
}

export interface Button {
  readonly text: string;
  /** At most 64 bytes; `readPress` reads it. */
  readonly data: string;
}

export interface OutgoingMessage {
  /** Id of the person at the messenger. */
  readonly to: string;
  readonly text: string;
  /** False to show the text as it is written. */
  readonly isMarkdown?: boolean;
  readonly buttons?: readonly Button[];
}

export interface OutgoingFile {
  readonly to: string;
  readonly name: string;
  readonly mediaType: string;
  readonly content: Uint8Array;
}

/**
 * A bot of one agent at one messenger. Each method rejects with a `BotRefusal` if the messenger refuses, and with another
 * error if it does not answer; no error contains the token.
 */
export interface Bot {
  readonly channel: Channel;
  readonly agentId: string;
  /** Unique among the bots of the messenger, the same after a restart; not secret, at most 64 characters. */
  readonly id: string;
  /** Sign that begins a command, such as /new. */
  readonly commandSign: '/' | '!';
  /** Longest message, in UTF-16 units before formatting. */
  readonly partMaxChars: number;
  readonly fileMaxBytes: number;
  /**
   * Waits for messages and gives each to `take`, one after the other. It keeps its place after `take` resolves, so a message
   * whose `take` rejects comes again. Resolves after some seconds, so that another replica can take over, and at once when `signal` aborts.
   */
  receive(take: (received: Received) => Promise<void>, signal: AbortSignal): Promise<void>;
  /** Answers a message as a message, and a press as a notice. */
  reply(received: Received, reply: Reply): Promise<void>;
  /** Page that opens the bot at the messenger, where `?start=CODE` sends a code; null if the messenger has none. */
  page(): Promise<string | null>;
  /** Resolves with the id of the message, at most 64 characters. */
  send(message: OutgoingMessage): Promise<string>;
  sendFile(file: OutgoingFile): Promise<void>;
  /** Replaces the text of a message, which has no buttons. */
  edit(messageId: string, message: OutgoingMessage): Promise<void>;
  remove(to: string, messageId: string): Promise<void>;
}

export class BotRefusal extends Error {
  /** True if a repeat cannot succeed: the person has blocked the bot, the chat is gone, or the content is invalid. */
  readonly isFinal: boolean;
  /** Time to wait if the messenger asks for one, in seconds. */
  readonly retryAfterS: number | null;
  constructor(words: string, { isFinal, retryAfterS }: Pick<BotRefusal, 'isFinal' | 'retryAfterS'>) {
    super(words);
    this.name = 'BotRefusal';
    this.isFinal = isFinal;
    this.retryAfterS = retryAfterS;
  }
}
