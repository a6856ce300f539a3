/** One websocket, as the fan-out needs it. */
export interface ViewerPort {
  /** Queues one message; bytes go as a binary message, a string as text. */
  send(message: Uint8Array | string): void;
  /** Bytes queued and not yet handed to the network. */
  readonly bufferedAmount: number;
  close(code: number, reason: string): void;
}

export type FrameFormat = 'binary' | 'json';
