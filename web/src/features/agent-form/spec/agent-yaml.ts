import { API_VERSION } from '@hamlet/contract';
import { stringify } from 'yaml';
import type { Json } from '../../../client/json.ts';
import { trimmed } from './edit-spec.ts';

/** An object that `kubectl apply` takes. */
export type Resource = Readonly<{ kind: 'Agent' | 'Schedule'; name: string; spec: Json }>;

/** The objects as one text of YAML documents; long texts become blocks, so that a person can read them. */
export function resourceYaml(resources: readonly Resource[]): string {
  return resources
    .map(({ kind, name, spec }) =>
      stringify(
        { apiVersion: API_VERSION, kind, metadata: { name }, spec: trimmed(spec) },
        { lineWidth: 0, blockQuote: 'literal' },
      ),
    )
    .join('---\n');
}
