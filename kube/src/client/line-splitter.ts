/** The largest object that a watch may send: etcd takes 1.5 MiB, JSON is larger than what it stores. */
const MAX_LINE_CHARS = 16 << 20;

/** Cuts a stream of bytes into lines. A character or a line may be split over any number of chunks. */
export class LineSplitter {
  readonly #decoder = new TextDecoder('utf-8');
  #pending = '';

  /** The lines that `chunk` completes, without their line feeds. Throws where one grows beyond 16 MiB. */
  push(chunk: Uint8Array): string[] {
    const lines = this.#decoder.decode(chunk, { stream: true }).split('\n');
    lines[0] = this.#pending + (lines[0] ?? '');
    this.#pending = lines.pop() ?? '';
    if (this.#pending.length > MAX_LINE_CHARS)
      throw new RangeError(`a line of a watch is longer than ${MAX_LINE_CHARS} characters`);
    return lines.filter((line) => line.trim() !== '');
  }
}
