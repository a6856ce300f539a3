/** Processor architectures of images, with their names in each tool. */
import { Failure } from '../failure.ts';

/** The name in Debian, Go and Kubernetes. */
export type Architecture = 'amd64' | 'arm64';
export const ARCHITECTURES: readonly Architecture[] = ['amd64', 'arm64'];

interface Names {
  /** The name in npm and Node. */
  readonly npm: 'x64' | 'arm64';
  /** The GNU triplet, as in paths and package names of Debian. */
  readonly triplet: string;
  /** `e_machine` of an ELF file (System V ABI). */
  readonly elfMachine: number;
}

export const NAMES: Readonly<Record<Architecture, Names>> = {
  amd64: { npm: 'x64', triplet: 'x86_64-linux-gnu', elfMachine: 62 },
  arm64: { npm: 'arm64', triplet: 'aarch64-linux-gnu', elfMachine: 183 },
};

export function hostArchitecture(): Architecture {
  const found = ARCHITECTURES.find((architecture) => NAMES[architecture].npm === process.arch);
  if (found === undefined)
    throw new Failure(`Hamlet has no images for ${process.arch}`, 'use an x86-64 or arm64 machine');
  return found;
}

/** Parses ARCH: one architecture, several with commas, or `all`. */
export function architecturesOf(text: string): readonly Architecture[] {
  if (text === 'all') return ARCHITECTURES;
  return text.split(',').map((name) => {
    const found = ARCHITECTURES.find((architecture) => architecture === name);
    if (found === undefined)
      throw new Failure(`ARCH=${text} is unknown`, `set ARCH=${ARCHITECTURES.join(' or ARCH=')}, or ARCH=all`);
    return found;
  });
}
