import { exitOf, type PostgresServer, spawnProgram } from './server-programs.ts';

/**
 * Runs the postmaster until it ends. SIGTERM to us is a fast shutdown of it (SIGINT in its own words): sessions are ended,
 * everything is written, nothing waits for clients that stay connected.
 */
export async function runPostmaster(server: PostgresServer, listen: { host: string; port: number }): Promise<number> {
  const settings = {
    listen_addresses: listen.host,
    port: String(listen.port),
    // No socket: a container's root may be read-only, and every client comes over TCP with its password.
    unix_socket_directories: '',
    shared_buffers: '32MB',
    log_checkpoints: 'off',
    log_timezone: 'UTC',
    timezone: 'UTC',
  };
  const parameters = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const postmaster = spawnProgram(server, 'postgres', ['-D', server.directory, ...parameters]);
  const shutDown = (): void => {
    postmaster.kill('SIGINT');
  };
  process.on('SIGTERM', shutDown);
  process.on('SIGINT', shutDown);
  // An open pipe to the postmaster would keep us alive after it, so its input is ended at once.
  postmaster.stdin?.end();
  return exitOf(postmaster);
}
