/**
 * Images as they are pushed to a registry, written to OCI layouts: one architecture as an image, several as a manifest
 * list.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ARCHITECTURES, type Architecture } from './architecture.ts';
import { referenceOf, type BuiltImage } from './build.ts';
import { buildah } from './buildah.ts';
import { stateFile } from '../paths.ts';
import { pushImages } from './push.ts';
import { testFolder } from '@hamlet/test/env/at-end';

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly platform?: { readonly architecture: string; readonly os: string };
}

const PREFIX = 'registry.example.org/team';
const context = { doing: () => undefined, log: stateFile('log', 'test-push.log') };
const images = new Map<Architecture, readonly BuiltImage[]>();
const folder = testFolder('push');

before(async () => {
  for (const architecture of ARCHITECTURES)
    images.set(architecture, [await smallImage('api', architecture), await smallImage('operator', architecture)]);
});

after(async () => {
  for (const image of [...images.values()].flat()) await buildah(['rmi', referenceOf(image)]);
});

/** An image without a file. */
async function smallImage(name: BuiltImage['name'], architecture: Architecture): Promise<BuiltImage> {
  const image = { name, tag: `test-${process.pid}-${architecture}`, isNew: true };
  const container = await buildah(['from', '--arch', architecture, 'scratch']);
  await buildah(['config', '--arch', architecture, '--os', 'linux', '--cmd', `${name} of ${architecture}`, container]);
  await buildah(['commit', '--quiet', '--rm', container, referenceOf(image)]);
  return image;
}

const layoutOf = (reference: string): string => join(folder, reference.replaceAll(/[/:]/g, '-'));
const registry = { prefix: PREFIX, destinationOf: (reference: string) => `oci:${layoutOf(reference)}` };

function read<T>(reference: string, file: string): T {
  return JSON.parse(readFileSync(join(layoutOf(reference), file), 'utf8')) as T;
}

const blob = <T>(reference: string, { digest }: Descriptor): T =>
  read<T>(reference, `blobs/${digest.replace(':', '/')}`);

/** The image of a name: the only entry in the index of a layout. */
function named(reference: string): Descriptor {
  const { manifests } = read<{ manifests: readonly Descriptor[] }>(reference, 'index.json');
  assert.equal(manifests.length, 1);
  return manifests[0] ?? assert.fail('an empty layout');
}

test('images of several architectures share one reference, so each node pulls its own', async () => {
  const references = await pushImages(images, registry, context);
  assert.deepEqual(Object.keys(references).toSorted(), ['api', 'operator']);
  for (const [name, reference] of Object.entries(references)) {
    assert.ok(reference.startsWith(`${PREFIX}/hamlet/${name}:`), reference);
    const list = blob<{ manifests: readonly Descriptor[] }>(reference, named(reference));
    assert.deepEqual(list.manifests.map(({ platform }) => `${platform?.os}/${platform?.architecture}`).toSorted(), [
      'linux/amd64',
      'linux/arm64',
    ]);
    for (const each of list.manifests) {
      const { config } = blob<{ config: Descriptor }>(reference, each);
      const said = blob<{ architecture: string; config: { Cmd: readonly string[] } }>(reference, config);
      assert.equal(said.config.Cmd.join(' '), `${name} of ${said.architecture}`);
      assert.equal(said.architecture, each.platform?.architecture);
    }
  }
  assert.deepEqual(
    await pushImages(images, registry, context),
    references,
    'pushing the same images again gives the same reference',
  );
});

test('a single architecture is pushed as an image, under its own tag', async () => {
  const arm64 = images.get('arm64') ?? [];
  const { api = '' } = await pushImages(new Map([['arm64', arm64]]), registry, context);
  assert.equal(api, `${PREFIX}/hamlet/api:${arm64[0]?.tag}`);
  const { config } = blob<{ config: Descriptor }>(api, named(api));
  assert.equal(blob<{ architecture: string }>(api, config).architecture, 'arm64');
});

test('a failed push explains how to log in', async () => {
  await assert.rejects(
    pushImages(images, { prefix: '127.0.0.1:1/team' }, context),
    (error: { fix?: string }) => error.fix === 'buildah login 127.0.0.1:1',
  );
});
