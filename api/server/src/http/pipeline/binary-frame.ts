const FINAL_BINARY = 0x82;
/** Values of the length field that announce a longer length in the next two or eight bytes. */
const LENGTH_OF_2 = 126;
const LENGTH_OF_8 = 127;

/** A binary message as one frame of a server's websocket (RFC 6455, 5.2): unmasked, whole, not compressed. Pure. */
export function binaryFrame(message: Uint8Array): Uint8Array {
  const { length } = message;
  const head = length < LENGTH_OF_2 ? 2 : length <= 0xffff ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = FINAL_BINARY;
  if (head === 2) frame[1] = length;
  else if (head === 4) {
    frame[1] = LENGTH_OF_2;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = LENGTH_OF_8;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.set(message, head);
  return frame;
}
