import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../../../local/village/paths.ts';

export const PRESETS = ['none', 'spark-one', 'spark-two', 'gpu-24g', 'ollama-small'] as const;
type Preset = (typeof PRESETS)[number];

/** An image by a digest of the right form; no registry has it. */
export const IMAGE = `registry.example.org/models@sha256:${'0'.repeat(64)}`;

interface PresetValues {
  readonly models: Readonly<Record<'vllm' | 'ollama', Readonly<Record<string, object>> | undefined>>;
}

/** The values of a preset as its file has them, without an image. */
export function presetFile(name: Preset): PresetValues {
  return parse(readFileSync(join(ROOT, `charts/hamlet/presets/${name}.yaml`), 'utf8')) as PresetValues;
}

/** The values of a preset, with an image for its server. */
export function presetValues(name: Preset): object {
  const { models, ...values } = presetFile(name);
  const withImage = (servers: Readonly<Record<string, object>> = {}): object =>
    Object.fromEntries(Object.entries(servers).map(([server, its]) => [server, { ...its, image: IMAGE }]));
  return { ...values, models: { vllm: withImage(models.vllm), ollama: withImage(models.ollama) } };
}
