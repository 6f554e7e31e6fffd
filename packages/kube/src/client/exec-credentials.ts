import { execFile } from 'node:child_process';
import type { CredentialSource, Credentials } from './client.ts';
import type { Clock } from './clock.ts';

export interface ExecPlugin {
  apiVersion: string;
  command: string;
  args: string[];
  environment: Record<string, string>;
  /** File and field, for errors. */
  where: string;
  installHint?: string | undefined;
}

/** Renewed this long before it ends, so that no request carries what ends on its way. */
const EARLY_MS = 10_000;
const COMMAND_TIMEOUT_MS = 60_000;
const LARGEST_OUTPUT = 1024 * 1024;

/**
 * Credentials from a command, as kubectl's exec plugins: it prints an ExecCredential, kept until it expires or the server
 * refuses it. Requests that need it at the same time share one run.
 */
export function createExecCredentials(
  plugin: ExecPlugin,
  { environment, clock }: { environment: Record<string, string | undefined>; clock: Clock },
): CredentialSource {
  let kept: { credentials: Credentials; until: number } | undefined;
  let running: Promise<Credentials> | undefined;

  async function renew(): Promise<Credentials> {
    const status = await runPlugin(plugin, environment);
    const until = status.expirationTimestamp ? Date.parse(status.expirationTimestamp) : Number.POSITIVE_INFINITY;
    const credentials: Credentials = {
      ...(status.token && { token: status.token }),
      ...(status.clientCertificateData && { clientCertificate: status.clientCertificateData }),
      ...(status.clientKeyData && { clientKey: status.clientKeyData }),
    };
    kept = { credentials, until };
    return credentials;
  }

  return {
    async current() {
      if (kept && clock.now() < kept.until - EARLY_MS) return kept.credentials;
      running ??= renew().finally(() => {
        running = undefined;
      });
      return running;
    },
    invalidate() {
      kept = undefined;
    },
  };
}

interface ExecCredentialStatus {
  expirationTimestamp?: string;
  token?: string;
  clientCertificateData?: string;
  clientKeyData?: string;
}

async function runPlugin(plugin: ExecPlugin, base: Record<string, string | undefined>): Promise<ExecCredentialStatus> {
  const info = { apiVersion: plugin.apiVersion, kind: 'ExecCredential', spec: { interactive: false } };
  const env = { ...base, ...plugin.environment, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
  const output = await run(plugin, env);
  const fail = (problem: string) => new Error(`${plugin.where}: ${plugin.command} ${problem}`);
  let credential: { kind?: unknown; apiVersion?: unknown; status?: ExecCredentialStatus } | null;
  try {
    credential = JSON.parse(output);
  } catch (cause) {
    // The output may hold a credential: it is not quoted.
    throw new Error(`${plugin.where}: ${plugin.command} did not print JSON`, { cause });
  }
  if (credential?.kind !== 'ExecCredential') throw fail('did not print an ExecCredential');
  if (credential.apiVersion !== plugin.apiVersion) {
    throw fail(`printed apiVersion ${JSON.stringify(credential.apiVersion)} instead of ${plugin.apiVersion}`);
  }
  const { status } = credential;
  if (!status?.token && !(status?.clientCertificateData && status.clientKeyData)) {
    throw fail('printed neither status.token nor status.clientCertificateData with status.clientKeyData');
  }
  return status;
}

function run(plugin: ExecPlugin, env: Record<string, string | undefined>): Promise<string> {
  const limits = { timeout: COMMAND_TIMEOUT_MS, maxBuffer: LARGEST_OUTPUT };
  return new Promise((resolve, reject) => {
    execFile(plugin.command, plugin.args, { ...limits, env: env as NodeJS.ProcessEnv }, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const hint = error.code === 'ENOENT' && plugin.installHint ? `\n${plugin.installHint}` : '';
      const detail = stderr.trim() || error.message;
      reject(new Error(`${plugin.where}: ${plugin.command} failed: ${detail}${hint}`, { cause: error }));
    });
  });
}
