import type { TestVillage } from '../../testing/test-village.ts';

/**
 * Environment of a replica whose agents may reach one host by a tunnel, in which the broker cannot ask about requests.
 */
export async function withTunnel(village: Pick<TestVillage, 'writeSample'>): Promise<Record<string, string>> {
  const rules = JSON.stringify({ allow: [{ host: 'open.example.org' }] });
  return { HAMLET_EGRESS_FILE: await village.writeSample('tunnel.json', rules) };
}
