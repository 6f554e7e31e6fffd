import { isDatabaseUnavailable } from './errors.ts';
import { databaseHost } from './tls.ts';

/** Of TLS libraries and Node: the certificate does not fit. */
const CERTIFICATE_CODES = new Map([
  ['SELF_SIGNED_CERT_IN_CHAIN', 'nobody that we know vouches for its certificate'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'nobody that we know vouches for its certificate'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'nobody that we know vouches for its certificate'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'nobody that we know vouches for its certificate'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'nobody that we know vouches for its certificate'],
  ['CERT_SIGNATURE_FAILURE', 'its certificate was not signed by the authority that we were given'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another host'],
  ['CERT_HAS_EXPIRED', 'its certificate has expired'],
  ['CERT_NOT_YET_VALID', 'its certificate is not valid yet'],
]);

export interface ConnectionProblem {
  sentence: string;
  /** Nothing changes by itself: settings are wrong, or the database's own. */
  lasting: boolean;
}

/** Why a database cannot be reached and what to do, without its user and password. Undefined for any other failure. */
export function connectionProblem(error: unknown, url: string): ConnectionProblem | undefined {
  const host = databaseHost(url) || 'that address';
  const { code, message } = factsOf(error);
  const certificate = CERTIFICATE_CODES.get(code);
  if (certificate !== undefined) {
    return lasting(
      `the database at ${host} cannot be trusted: ${certificate}; give its authority in BERTH_DATABASE_CA_FILE and the host that the certificate is for in DATABASE_URL`,
    );
  }
  if (/server does not support SSL/.test(message)) {
    return lasting(
      `the database at ${host} does not speak TLS, and DATABASE_URL wants it: turn on "ssl" there, or say sslmode=disable where the way to it is safe`,
    );
  }
  if (/no encryption|SSL off/i.test(message) && /pg_hba/.test(message)) {
    return lasting(
      `the database at ${host} takes connections with TLS only: add "?sslmode=verify-full" to DATABASE_URL`,
    );
  }
  if (code === '28P01' || code === '28000') {
    return passing(
      `the database at ${host} refuses our user: ${message}; correct the user or the password in DATABASE_URL`,
    );
  }
  if (code === '3D000') return passing(`the database at ${host} has none of that name: ${message}; make it`);
  if (!isDatabaseUnavailable(error)) return undefined;
  return passing(`the database at ${host} does not answer (${message}); start it, or correct its address`);
}

function lasting(sentence: string): ConnectionProblem {
  return { sentence, lasting: true };
}

/** One that is being set up may have it in a moment. */
function passing(sentence: string): ConnectionProblem {
  return { sentence, lasting: false };
}

function factsOf(error: unknown): { code: string; message: string } {
  if (error instanceof AggregateError && error.errors.length > 0) return factsOf(error.errors[0]);
  if (!(error instanceof Error)) return { code: '', message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return { code, message: error.message };
}
