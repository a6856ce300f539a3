/** The values of secrets that the broker may send for agents. */
export interface EgressSecrets {
  /** Null if there is no such secret, or if its owner did not label it for this use. */
  read(name: string): Promise<string | null>;
}

/** A village without a cluster has no secrets. */
export const NO_EGRESS_SECRETS: EgressSecrets = { read: () => Promise.resolve(null) };
