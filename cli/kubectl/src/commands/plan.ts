import { API_VERSION, type Agent, type Entitlement } from '@hamlet/contract/kinds';
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { AGENTS, ENTITLEMENTS, type Listed } from '../agents.ts';
import { Failure, type Command } from '../command.ts';
import { plainError, type Kubectl } from '../kubectl.ts';
import { printed } from '../table.ts';
import { quote, type PlanReport, type Quote, type Wanted } from '../quote.ts';

const STANDARD_INPUT = '-';
const OBJECTS_MAX = 1_000;

const Manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});
type Manifest = z.infer<typeof Manifest>;

function textOf(file: string): string {
  try {
    return readFileSync(file === STANDARD_INPUT ? 0 : file, 'utf8');
  } catch (error) {
    throw new Failure(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readManifests(file: string): readonly Manifest[] {
  const documents = parseAllDocuments(textOf(file));
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
  const { name } = manifest.metadata;
  const args = ['get', resourceOf(manifest), name, '--output=json', '--ignore-not-found'];
  const { code, stdout } = await kubectl.run(args);
  return code === 0 && stdout.trim() !== '' ? (JSON.parse(stdout) as Wanted['present']) : undefined;
}

async function dryRun(kubectl: Kubectl, manifest: Manifest): Promise<Wanted['answer']> {
  const apply = ['apply', '--server-side', '--force-conflicts', '--field-manager=kubectl-hamlet'];
  const dry = ['--dry-run=server', '--validate=strict', '--output=json', '--filename=-'];
  const { code, stdout, stderr } = await kubectl.run([...apply, ...dry], JSON.stringify(manifest));
  if (code !== 0) return { ok: false, problem: plainError(stderr) };
  return { ok: true, object: JSON.parse(stdout) as Extract<Wanted['answer'], { ok: true }>['object'] };
}

const SIGNS: Readonly<Record<Quote['action'], string>> = { create: '+', change: '~', unchanged: '=', refused: '✗' };
const WORDS: Readonly<Record<Quote['action'], string>> = {
  create: 'would be created',
  change: 'would be changed',
  unchanged: 'is unchanged',
  refused: 'would be refused',
};

function costLine({ kind, tier, cost_per_day: cost, price_per_thousand_tokens: tokens }: Quote): readonly string[] {
  if (cost === undefined) return [];
  const metered = tokens === undefined || tokens === '0' ? '' : `, and ${tokens} for each thousand tokens`;
  return [
    kind === 'Agent'
      ? `${cost} aiDollars a day awake (${tier ?? ''})${metered}`
      : `an agent at this tier pays ${cost} aiDollars a day${metered}`,
  ];
}

function seatLine({ seats }: Quote): readonly string[] {
  if (seats === undefined) return [];
  const { tier, total, free_before: before, free_after: after } = seats;
  return [
    before === after
      ? `seats of ${tier}: ${before} of ${total} free`
      : `seats of ${tier}: ${before} of ${total} free now, ${after} after it`,
  ];
}

function firingLines({ tells, firings_per_day: perDay, next_firings: next }: Quote): readonly string[] {
  if (perDay === undefined) return [];
  const targets =
    tells === undefined || tells.length === 0
      ? []
      : [`starts runs of ${tells.slice(0, 5).join(', ')}${tells.length > 5 ? ` and ${tells.length - 5} more` : ''}`];
  const dates = next === undefined || next.length === 0 ? '' : `, next at ${next.join(', ')}`;
  return [...targets, `fires ${perDay} times in the next 24 hours${dates}`];
}

function objectText(quote: Quote): string {
  const { kind, name, action, makes, problems } = quote;
  const lines = [
    ...makes.map((made) => `makes ${made}`),
    ...costLine(quote),
    ...seatLine(quote),
    ...firingLines(quote),
    ...problems.map((problem) => `! ${problem}`),
  ];
  return [`${SIGNS[action]} ${kind} ${name} ${WORDS[action]}`, ...lines.map((line) => `    ${line}`)].join('\n');
}

export function planText({ objects, cost_per_day: cost, refused }: PlanReport): string {
  const count = (action: Quote['action']): number => objects.filter((object) => object.action === action).length;
  const sum = `${count('create')} to create, ${count('change')} to change, ${count('unchanged')} unchanged, ${refused} refused`;
  const price = `the agents cost ${cost} aiDollars a day while awake. Nothing was changed.`;
  return [...objects.map(objectText), '', `${sum}; ${price}`].join('\n');
}

export const plan: Command = {
  name: 'plan',
  usage: '-f FILE',
  summary: 'shows what a file would create, its refusals, its price a day and its next runs; changes nothing',
  details: `FILE has YAML or JSON objects; - is standard input. Each goes to the API server as a dry run, and the plan shows what
the operator would make of it: tier, price, seats, pods, volumes, next runs. Exits 1 if an object would be refused.`,
  options: { filename: { type: 'string', short: 'f' } },
  names: [0, 0],
  async run(invocation) {
    const { kubectl, flags, nowMs } = invocation;
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
    printed(invocation, report, () => planText(report));
    return report.refused === 0 ? 0 : 1;
  },
};
