import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { program } from '../../../local/village/cluster.ts';
import { tryRun } from '../../../local/village/command.ts';
import { ROOT } from '../../../local/village/paths.ts';

/** The fields of a rendered container that tests read. */
export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string } };
  }[];
  readonly volumeMounts?: readonly { readonly name: string }[];
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly resources: { readonly requests: object; readonly limits: Readonly<Record<string, string>> };
  readonly readinessProbe?: object;
  readonly livenessProbe?: object;
}

/** The fields of a rendered object that tests read. */
export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: {
    readonly strategy?: { readonly rollingUpdate: { readonly maxSurge: number } };
    readonly replicas?: number;
    readonly template: {
      readonly spec: {
        readonly initContainers?: readonly Container[];
        readonly containers: readonly Container[];
        readonly securityContext: object;
        readonly nodeSelector?: object;
        readonly affinity?: {
          readonly podAntiAffinity: {
            readonly preferredDuringSchedulingIgnoredDuringExecution: readonly [
              { readonly weight: number; readonly podAffinityTerm: object },
            ];
          };
        };
        readonly dnsConfig?: object;
        readonly tolerations?: readonly { readonly key: string; readonly tolerationSeconds: number }[];
      };
    };
    readonly power?: string;
  };
  readonly rules?: readonly object[];
  readonly subjects?: readonly { readonly namespace: string }[];
}

export interface Rendered {
  readonly code: number;
  readonly output: string;
  readonly text: string;
  /** Empty if helm refuses the values. */
  readonly manifests: readonly Manifest[];
}

/** Renders the chart with helm. */
export async function render(values: object = {}, ...flags: readonly string[]): Promise<Rendered> {
  const args = ['template', 'hamlet', join(ROOT, 'charts/hamlet'), '--values', '-', ...flags];
  const { code, stdout, output } = await tryRun(await program('helm'), args, { input: JSON.stringify(values) });
  const manifests = parseAllDocuments(code === 0 ? stdout : '')
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
  return { code, output, text: stdout, manifests };
}
