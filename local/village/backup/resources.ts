/** Agents, Entitlements and Schedules, without the fields that the API server adds. */

export const RESOURCE_KINDS = [
  'agents.hamlet.village',
  'entitlements.hamlet.village',
  'schedules.hamlet.village',
] as const;

interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: object;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: object;
}

export interface ResourceList {
  readonly apiVersion: 'v1';
  readonly kind: 'List';
  readonly items: readonly Resource[];
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Reduces kubectl's list to names, labels, annotations and specs. Pure. */
export function bareResources(list: { readonly items: readonly Resource[] }): ResourceList {
  return { apiVersion: 'v1', kind: 'List', items: list.items.map(bareResource) };
}

function bareResource({ apiVersion, kind, metadata: { name, labels, annotations = {} }, spec }: Resource): Resource {
  const kept = Object.entries(annotations).filter(([key]) => key !== LAST_APPLIED);
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(labels === undefined ? {} : { labels }),
      ...(kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) }),
    },
    ...(spec === undefined ? {} : { spec }),
  };
}

/** The resources of a list that the cluster does not have, by kind and name. Pure. */
export function missingFrom(list: ResourceList, there: { readonly items: readonly Resource[] }): ResourceList {
  const known = new Set(there.items.map(({ kind, metadata }) => `${kind}/${metadata.name}`));
  return { ...list, items: list.items.filter(({ kind, metadata }) => !known.has(`${kind}/${metadata.name}`)) };
}
