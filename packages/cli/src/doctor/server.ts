import { isBerthError } from '@berth/core/errors';
import type { HealthCheck } from '@berth/core/health';
import { connect } from '../connection.ts';
import type { CliContext } from '../context.ts';
import { whyUnreachable } from '../unreachable.ts';
import { failure, ok, warning } from './check.ts';

/** More would make tokens and certificates end too early or too late. */
const LARGEST_SKEW_MS = 30_000;

/** What can be asked of a Berth: whether it answers, whose it is, and, for an administrator, how its parts are. */
export async function checkServer(context: CliContext, url: string): Promise<HealthCheck[]> {
  const started = context.now().getTime();
  let response: Response;
  try {
    response = await context.fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) });
  } catch (error) {
    const { cause, remedy = 'start Berth there, or name another with --url' } = whyUnreachable(error);
    return [failure('address', `${url} does not answer: ${cause}`, remedy)];
  }
  const text = (await response.text()).trim();
  const reach = response.ok
    ? ok('address', `${url} is ready`)
    : failure(
        'address',
        `${url} answers, but is not ready: ${text.slice(0, 200)}`,
        'wait a moment; when it stays so, read the logs of the server',
      );
  return [reach, ...clock(response, started), ...(await account(context, url))];
}

function clock(response: Response, started: number): HealthCheck[] {
  const date = Date.parse(response.headers.get('date') ?? '');
  if (Number.isNaN(date)) return [];
  const skew = Math.abs(date - started);
  if (skew <= LARGEST_SKEW_MS) return [ok('clock', 'this machine and the server agree')];
  return [
    warning(
      'clock',
      `this machine and the server differ by ${Math.round(skew / 1000)} s`,
      'set both by NTP: tokens and certificates depend on it',
    ),
  ];
}

async function account(context: CliContext, url: string): Promise<HealthCheck[]> {
  try {
    const { client } = connect(context, { url });
    const { user } = await client.call('getMe');
    const signedIn = ok('sign-in', `${user.email}${user.platformAdmin ? ', administrator of the platform' : ''}`);
    const { version } = await client.call('getConfig');
    const same = version === context.version;
    const versions = same
      ? ok('version', `${version}, here and there`)
      : warning(
          'version',
          `this is ${context.version}, the server ${version}`,
          'use the same version: commands may not fit otherwise',
        );
    if (!user.platformAdmin) {
      return [signedIn, versions, ok('parts', 'an administrator of the platform sees more here')];
    }
    const { checks } = await client.call('getHealth');
    return [signedIn, versions, ...checks];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (isBerthError(error, 'unauthenticated')) {
      return [failure('sign-in', 'the token is not good any more', `run: berth login --url ${url}`)];
    }
    return [failure('sign-in', message)];
  }
}
