/** The record of the checkout that started the local cluster. All checkouts of a machine share one cluster. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLUSTER_FOLDER, ROOT, STATE } from '../paths.ts';

export interface Checkout {
  readonly root: string;
  readonly state: string;
  readonly cluster: string;
}

export const THIS_CHECKOUT: Checkout = { root: ROOT, state: STATE, cluster: CLUSTER_FOLDER };

const fileOf = ({ cluster }: Checkout): string => join(cluster, 'checkout.json');

export function recordCheckout(checkout = THIS_CHECKOUT): void {
  mkdirSync(checkout.cluster, { recursive: true });
  writeFileSync(fileOf(checkout), `${JSON.stringify({ root: checkout.root })}\n`);
}

/**
 * The root of the other checkout that started the cluster, or `unknown` if an older version did not record it.
 * Null if the cluster belongs to this checkout, or its own checkout was deleted.
 */
export function otherCheckout(checkout = THIS_CHECKOUT): string | null {
  const file = fileOf(checkout);
  if (!existsSync(file)) return existsSync(join(checkout.state, 'up.json')) ? null : 'unknown';
  const { root } = JSON.parse(readFileSync(file, 'utf8')) as { root: string };
  return root === checkout.root || !existsSync(root) ? null : root;
}
