/** Thrown if a body is longer than its limit. */
export class TooLongError extends Error {
  override readonly name = 'TooLongError';
}

/** The whole body of an answer. Throws a TooLongError beyond `maxBytes`, which also ends the connection. */
export async function boundedBody(body: AsyncIterable<Uint8Array> | null, maxBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.length;
    if (bytes > maxBytes) throw new TooLongError(`the answer is larger than ${maxBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
