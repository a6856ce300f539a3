import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repairAndValidate } from '@hamlet/engine/json';
import type { Case } from './corpus.ts';
import { peerPackages } from '../peer-packages.ts';

const PEERS_MB = 40;

/** The value that a parser finds in a case; null if it refuses. */
export type Parser = (given: Case) => { readonly value: unknown } | null | Promise<{ readonly value: unknown } | null>;

interface Jsonrepair {
  readonly jsonrepair: (text: string) => string;
}
interface AiSdk {
  readonly parsePartialJson: (text: string) => Promise<{ readonly value: unknown; readonly state: string }>;
}

export const ours: Parser = ({ raw, schema }) => {
  const found = repairAndValidate(raw, schema);
  return found.ok ? found : null;
};

/** The parsers of others; they know no schemas. */
export async function openPeers(): Promise<Readonly<Record<string, Parser>>> {
  const folder = await peerPackages('json', PEERS_MB);
  const resolve = createRequire(join(folder, 'package.json')).resolve;
  const load = async (name: string): Promise<unknown> => import(pathToFileURL(resolve(name)).href);
  const { jsonrepair } = (await load('jsonrepair')) as Jsonrepair;
  const { parsePartialJson } = (await load('ai')) as AiSdk;
  return {
    jsonrepair: ({ raw }) => {
      try {
        return { value: JSON.parse(jsonrepair(raw)) as unknown };
      } catch {
        return null;
      }
    },
    aiSdk: async ({ raw }) => {
      const { value, state } = await parsePartialJson(raw);
      return state === 'successful-parse' || state === 'repaired-parse' ? { value } : null;
    },
  };
}
