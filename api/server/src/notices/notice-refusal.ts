interface About {
  /** The server or service refuses this address permanently. */
  readonly isOfAddress: boolean;
  /** The server refused only the recipient, for this reason or another: notices to others may pass. */
  readonly isOfRecipient: boolean;
  /** Seconds that the server asks to wait before the next attempt. */
  readonly waitS?: number;
}

/** A mail server or a push service did not take a notice. */
export class NoticeRefusal extends Error {
  override readonly name = 'NoticeRefusal';
  readonly code: string;
  readonly about: About;

  constructor(code: string, about: About, cause: unknown) {
    super(`a notice was not taken (${code})`, { cause });
    this.code = code;
    this.about = about;
  }
}
