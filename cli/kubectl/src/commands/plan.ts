import type { Agent, Entitlement } from '@hamlet/contract/kinds';
import { API_VERSION } from '@hamlet/contract/kinds';
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { AGENTS, ENTITLEMENTS, type Listed } from '../agents.ts';
import type { Command } from '../command.ts';
import { Failure } from '../failure.ts';
import { plainError, type Kubectl } from '../kubectl.ts';
import { planText } from '../plan/plan-text.ts';
import { quote, type Wanted } from '../plan/quote.ts';

const STANDARD_INPUT = '-';
const OBJECTS_MAX = 1_000;

const Manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});
type Manifest = z.infer<typeof Manifest>;

/** The objects of a file of YAML or JSON documents; a List counts as its items. */
function readManifests(file: string): readonly Manifest[] {
  const documents = parseAllDocuments(readFileSync(file === STANDARD_INPUT ? 0 : file, 'utf8'));
  if (!Array.isArray(documents)) return [];
  const objects = documents.flatMap((document, index): unknown[] => {
    const [error] = document.errors;
    if (error !== undefined) throw new Failure(`${file}, document ${index + 1}: ${error.message}`);
    const value: unknown = document.toJS();
    if (value === null) return [];
    return (
      z.looseObject({ kind: z.literal('List'), items: z.array(z.unknown()) }).safeParse(value).data?.items ?? [value]
    );
  });
  if (objects.length > OBJECTS_MAX)
    throw new Failure(`${file} has ${objects.length} objects: plan at most ${OBJECTS_MAX}`);
  return objects.map((object, index) => {
    const manifest = Manifest.safeParse(object);
    if (!manifest.success) throw new Failure(`${file}, object ${index + 1}: ${z.prettifyError(manifest.error)}`);
    return manifest.data;
  });
}

const resourceOf = ({ apiVersion, kind }: Manifest): string =>
  apiVersion === API_VERSION ? `${kind}.v1alpha1.hamlet.village` : kind;

async function present(kubectl: Kubectl, manifest: Manifest): Promise<Wanted['present']> {
  const { code, stdout } = await kubectl.run([
    'get',
    resourceOf(manifest),
    manifest.metadata.name,
    '--output=json',
    '--ignore-not-found',
  ]);
  return code === 0 && stdout.trim() !== '' ? (JSON.parse(stdout) as Wanted['present']) : undefined;
}

/** Asks the API server to take the object without keeping it. */
async function dryRun(kubectl: Kubectl, manifest: Manifest): Promise<Wanted['answer']> {
  const args = [
    'apply',
    '--server-side',
    '--dry-run=server',
    '--force-conflicts',
    '--field-manager=kubectl-hamlet',
    '--validate=strict',
    '--output=json',
    '--filename=-',
  ];
  const { code, stdout, stderr } = await kubectl.run(args, JSON.stringify(manifest));
  if (code !== 0) return { ok: false, problem: plainError(stderr) };
  return { ok: true, object: JSON.parse(stdout) as Extract<Wanted['answer'], { ok: true }>['object'] };
}

export const plan: Command = {
  name: 'plan',
  usage: '-f FILE',
  summary: 'what a file would create, what would be refused, what it costs a day and when it fires; changes nothing',
  details: `FILE has YAML or JSON objects; - is standard input. Each is given to the API server as a dry run, and read as the operator
would read it: tier, price, seats, pods, volumes, next firings. Exits 1 if anything would be refused.`,
  options: { filename: { type: 'string', short: 'f' } },
  names: [0, 0],
  async run({ kubectl, flags, json, print, nowMs }) {
    const { filename } = flags;
    if (typeof filename !== 'string') throw new Failure('plan needs a file: kubectl hamlet plan -f FILE', 2);
    const manifests = readManifests(filename);
    const [agents, tiers] = await Promise.all([
      kubectl.json<Listed<Agent>>(['get', AGENTS]),
      kubectl.json<Listed<Entitlement>>(['get', ENTITLEMENTS]),
    ]);
    const wanted: Wanted[] = [];
    for (const manifest of manifests) {
      const [now, answer] = await Promise.all([present(kubectl, manifest), dryRun(kubectl, manifest)]);
      wanted.push({ kind: manifest.kind, name: manifest.metadata.name, present: now, answer });
    }
    const report = quote(wanted, { agents: agents.items, tiers: tiers.items }, nowMs);
    print(json ? JSON.stringify(report, null, 2) : planText(report));
    return report.refused === 0 ? 0 : 1;
  },
};
