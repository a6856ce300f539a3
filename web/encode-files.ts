import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

/** The encodings that the API serves. Browsers accept Brotli only over HTTPS and from their own machine. */
const ENCODE = {
  br: promisify(brotliCompress),
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes, { level: 9 }),
};
/** Fonts and pictures are compressed already. */
const TEXT = /\.(js|css|html|svg)$/;

/** Writes each text file of the built web once more in each encoding: `assets/a.js` becomes `.br/assets/a.js` too. */
export async function encodeFiles(folder: string): Promise<void> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => TEXT.test(file));
  for (const [encoding, encode] of Object.entries(ENCODE))
    await Promise.all(
      files.map(async (file) => {
        const encoded = join(folder, `.${encoding}`, file);
        await mkdir(dirname(encoded), { recursive: true });
        await writeFile(encoded, await encode(await readFile(join(folder, file))));
      }),
    );
}
