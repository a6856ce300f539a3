import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestVillage } from '../../testing/test-village.ts';

/** Environment of a replica whose agents may reach one host by a tunnel: the broker cannot ask about what leaves by it. */
export async function withTunnel({ environment }: Pick<TestVillage, 'environment'>): Promise<Record<string, string>> {
  const file = join(environment['HAMLET_SAMPLES_DIR'] ?? '', 'tunnel.json');
  await writeFile(file, JSON.stringify({ allow: [{ host: 'open.example.org' }] }));
  return { HAMLET_EGRESS_FILE: file };
}
