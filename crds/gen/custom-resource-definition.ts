import { CATEGORY, GROUP, VERSION } from '@hamlet/contract/kinds';
import * as z from 'zod';
import { NotStructuralError, structural, type Structural } from './structural.ts';

/** One column of `kubectl get`. */
interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'date';
  readonly jsonPath: string;
  readonly priority?: number;
}

/** A kind: its schema, names and columns. */
export interface KindDefinition {
  readonly kind: string;
  readonly plural: string;
  readonly shortName: string;
  readonly schema: z.ZodType;
  readonly columns: readonly Column[];
}

const part = (schema: Structural, key: string): Structural => {
  const value = (schema['properties'] as Structural | undefined)?.[key];
  if (typeof value !== 'object' || value === null) throw new NotStructuralError(key, 'is missing');
  return value as Structural;
};

/** The schema of the whole object: the API server's `metadata`, our `spec` and `status`, and the rules of the root. */
function rootSchema(definition: KindDefinition): Structural {
  const json = z.toJSONSchema(definition.schema, {
    target: 'openapi-3.0',
    io: 'input',
    reused: 'inline',
  }) as Structural;
  const rules = json['x-kubernetes-validations'];
  return {
    type: 'object',
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: structural(part(json, 'spec'), 'spec'),
      status: structural(part(json, 'status'), 'status'),
    },
    ...(rules === undefined ? {} : { 'x-kubernetes-validations': rules }),
  };
}

export function customResourceDefinition(definition: KindDefinition): Structural {
  const { kind, plural, shortName, columns } = definition;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames: [shortName],
        categories: [CATEGORY],
      },
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          additionalPrinterColumns: columns,
          schema: { openAPIV3Schema: rootSchema(definition) },
          subresources: { status: {} },
        },
      ],
    },
  };
}
