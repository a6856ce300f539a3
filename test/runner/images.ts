/** Tests of the images for the other architecture. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ARCHITECTURES, hostArchitecture } from '../../local/village/images/architecture.ts';
import { referenceOf } from '../../local/village/images/build.ts';
import { hashSources } from '../../local/village/images/context.ts';
import { buildImagesFor } from '../../local/village/images/foreign/build.ts';
import { ROOT, stateFile } from '../../local/village/paths.ts';
import { buildWeb } from '../../local/village/images/build.ts';
import { runNodeTests } from './node-test.ts';
import type { Part, Print, Tally } from './part.ts';
import { testFiles } from './unit.ts';

export const IMAGES_PART: Part = {
  name: 'images',
  does: 'the images of the other architecture, in an emulator of its processor',
  needs: ['packages', 'programs'],
  run,
};

/**
 * An emulator is slow (minutes of CPU), and an image's name is a hash of its inputs. So images that have passed the
 * same tests before are skipped, as in `go test`, except in a full run.
 */
async function run(print: Print): Promise<Tally> {
  const files = testFiles('test/images/*.test.ts');
  const proven = stateFile('images-proven', await keyOf(files, print));
  if (existsSync(proven) && process.env['HAMLET_TEST_FULL'] === undefined) {
    print('these images passed before');
    return { passed: Number(readFileSync(proven, 'utf8')), failed: 0, failures: [] };
  }
  const tally = await runNodeTests(files, { concurrency: 1, print });
  if (tally.failed === 0) writeFileSync(proven, String(tally.passed));
  return tally;
}

async function keyOf(files: readonly string[], print: Print): Promise<string> {
  const context = { doing: () => undefined, log: stateFile('log', 'test-images.log') };
  print(`web ${await buildWeb(context)}`);
  const others = ARCHITECTURES.filter((architecture) => architecture !== hostArchitecture());
  const images = await Promise.all(others.map((architecture) => buildImagesFor(architecture, context)));
  return hashSources(
    files.map((file) => ({ from: join(ROOT, file), to: file, whole: true })),
    images.flat().map(referenceOf),
  );
}
