import type { FrameMessage, WorldStateFrame } from '@hamlet/contract';
import { ByteWriter, FRAME_HEADER_BYTES, encodeHeader, encodeMessage, frameToJson } from '@hamlet/core';
import type { FrameFormat } from './pressure.ts';

type FrameHead = Omit<WorldStateFrame, 'type' | 'messages'>;

export interface Chunk {
  readonly messages: readonly FrameMessage[];
  readonly bytes: Uint8Array;
}

const scratch = new ByteWriter();

/**
 * Encodes messages once for frames of a tick; `short` holds the same messages in the shorter form of the binary format.
 */
export function makeChunk(messages: readonly FrameMessage[], tick: number, short = messages): Chunk {
  scratch.clear();
  for (const message of short) encodeMessage(scratch, message, tick);
  return { messages, bytes: scratch.finish() };
}

/**
 * Builds one frame in either format from chunks, which it never encodes again. One builder serves all viewers in turn.
 */
export class FrameOut {
  readonly #head: FrameHead;
  readonly #idOf: (slot: number) => string | undefined;
  readonly #writer = new ByteWriter();
  #messages: FrameMessage[] = [];
  #format: FrameFormat = 'binary';

  constructor(head: FrameHead, idOf: (slot: number) => string | undefined) {
    this.#head = head;
    this.#idOf = idOf;
  }

  begin(format: FrameFormat): void {
    this.#format = format;
    this.#messages = [];
    this.#writer.clear();
    if (format === 'binary') encodeHeader(this.#writer, this.#head);
  }

  chunk(chunk: Chunk): void {
    if (this.#format === 'binary') this.#writer.bytes(chunk.bytes);
    else this.#messages.push(...chunk.messages);
  }

  message(message: FrameMessage): void {
    if (this.#format === 'binary') encodeMessage(this.#writer, message, this.#head.tick);
    else this.#messages.push(message);
  }

  get empty(): boolean {
    return this.#format === 'binary' ? this.#writer.length === FRAME_HEADER_BYTES : this.#messages.length === 0;
  }

  finish(): Uint8Array | string {
    if (this.#format === 'binary') return this.#writer.finish();
    return frameToJson({ type: 'world_state', ...this.#head, messages: this.#messages }, this.#idOf);
  }
}
