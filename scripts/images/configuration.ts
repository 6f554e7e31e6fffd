/** Whom all images run as: a number, since Kubernetes cannot tell from a name that it is not root's. */
export const USER = 10001;

/** As the specification of images has it. */
export interface ImageConfiguration {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Cmd?: string[];
  WorkingDir: string;
  Labels: Record<string, string>;
}

/**
 * How an image is started. Node is not the first process: that one would have to say itself what SIGTERM means, and to collect
 * what programs leave behind that somebody else started. `tini` does both, also where another is the first (`-s`).
 */
export function configurationOf({
  name,
  version,
  program,
  command,
  environment = [],
}: {
  name: string;
  version: string;
  program: string;
  /** What it is told when nothing else is said. */
  command?: string[];
  environment?: string[];
}): ImageConfiguration {
  return {
    User: `${USER}:${USER}`,
    Env: ['PATH=/usr/local/bin:/usr/bin:/bin', 'HOME=/tmp', ...environment],
    Entrypoint: ['/usr/bin/tini', '-s', '--', '/usr/local/bin/node', program],
    ...(command && { Cmd: command }),
    WorkingDir: '/tmp',
    Labels: {
      'org.opencontainers.image.title': name,
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.licenses': 'Apache-2.0',
    },
  };
}
