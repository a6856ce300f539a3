/** The fields of a rendered container that tests read. */
export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
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
