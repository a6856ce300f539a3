/** The images for the architecture that this machine is not. */
import { runNodeTests } from './node-test.ts';
import type { Part } from './part.ts';
import { testFiles } from './unit.ts';

export const IMAGES_PART: Part = {
  name: 'images',
  does: 'the images of the other architecture, in an emulator of its processor',
  needs: ['packages', 'programs'],
  run: (print) => runNodeTests(testFiles('test/images/*.test.ts'), { concurrency: 1, print }),
};
