/** Where the API server is and how to prove who we are. */
export interface Connection {
  /** Origin, for example `https://10.96.0.1:443`. */
  readonly server: string;
  /** Namespace of the context or of the pod. */
  readonly namespace: string;
  readonly tls: TlsMaterial;
  /** Left out where a client certificate does it. */
  readonly token?: TokenSource;
}

export interface TlsMaterial {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** A bearer token that may change. */
export interface TokenSource {
  read(): Promise<string>;
  /** The token was refused: the next `read` looks again. */
  forget(): void;
}
