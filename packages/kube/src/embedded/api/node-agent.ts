/** What the API server asks of the node: the logs of a container. The node registers one; without it logs are unavailable. */
export interface NodeAgent {
  /** Throws a KubeError when the container has no log to give. */
  logs(request: LogRequest): AsyncIterable<Uint8Array>;
}

export interface LogRequest {
  namespace: string;
  pod: string;
  container: string;
  follow: boolean;
  tailLines?: number;
  sinceSeconds?: number;
  sinceTime?: string;
  previous: boolean;
  timestamps: boolean;
  limitBytes?: number;
  signal: AbortSignal;
}
