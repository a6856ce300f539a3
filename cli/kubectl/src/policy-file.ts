import { AgentSpec, EntitlementSpec, VillageRules, type PolicyProposal } from '@hamlet/contract';
import { readFileSync, statSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { Failure } from './command.ts';

/** Maximum body size that the API accepts. */
const FILE_MAX_BYTES = 262_144;
const STANDARD_INPUT = '-';

const Named = z.looseObject({ metadata: z.looseObject({ name: z.string() }), spec: z.unknown() });
const AgentFile = Named.extend({ kind: z.literal('Agent'), spec: AgentSpec });
const TierFile = Named.extend({ kind: z.literal('Entitlement'), spec: EntitlementSpec });
const ValuesFile = z.looseObject({ api: z.looseObject({ toolRules: VillageRules }) });

const FORMS =
  'write an Agent, an Entitlement, values of the chart with api.toolRules, or the list of rules of the village alone';

function parsed<T>(schema: z.ZodType<T>, value: unknown, file: string): T {
  const found = schema.safeParse(value);
  if (!found.success) throw new Failure(`${file}: ${z.prettifyError(found.error)}`);
  return found.data;
}

/** The rules that a file proposes, by its form. Throws a Failure with the place of the error. Pure. */
export function proposalOf(value: unknown, file: string): PolicyProposal {
  if (Array.isArray(value)) return { of: 'village', rules: parsed(VillageRules, value, file) };
  const kind = z.looseObject({ kind: z.string().optional() }).safeParse(value).data?.kind;
  if (kind === 'Agent') {
    const { metadata, spec } = parsed(AgentFile, value, file);
    const { tools = {}, mcpServers = [] } = spec;
    return { of: 'agent', agent_id: metadata.name, tools, mcp_servers: mcpServers };
  }
  if (kind === 'Entitlement') {
    const { metadata, spec } = parsed(TierFile, value, file);
    return { of: 'tier', name: metadata.name, tools: spec.tools ?? {} };
  }
  if (kind !== undefined) throw new Failure(`${file} has the kind ${kind}: ${FORMS}`);
  if (!z.looseObject({ api: z.looseObject({ toolRules: z.unknown() }) }).safeParse(value).success)
    throw new Failure(`${file} has no rules: ${FORMS}`);
  return { of: 'village', rules: parsed(ValuesFile, value, file).api.toolRules };
}

function textOf(file: string): string {
  try {
    if (file !== STANDARD_INPUT && statSync(file).size > FILE_MAX_BYTES)
      throw new Failure(`${file} is larger than ${FILE_MAX_BYTES / 1_024} KiB: propose fewer rules`);
    return readFileSync(file === STANDARD_INPUT ? 0 : file, 'utf8');
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export function readProposal(file: string): PolicyProposal {
  const documents = parseAllDocuments(textOf(file));
  const [document, ...more] = Array.isArray(documents) ? documents : [];
  if (document === undefined || more.length > 0)
    throw new Failure(`${file} has ${more.length === 0 ? 'no document' : 'several documents'}: ${FORMS}`);
  const [error] = document.errors;
  if (error !== undefined) throw new Failure(`${file}: ${error.message}`);
  try {
    return proposalOf(document.toJS(), file);
  } catch (caught) {
    // The library refuses aliases that would grow without limit.
    if (caught instanceof ReferenceError) throw new Failure(`${file}: ${caught.message}`);
    throw caught;
  }
}
