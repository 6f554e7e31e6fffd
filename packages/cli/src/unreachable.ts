/** Why nothing answered at an address, from what `fetch` threw, and the way out where that says it. */
export function whyUnreachable(error: unknown): { cause: string; remedy: string | undefined } {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
  const code = reason && 'code' in reason ? String(reason.code) : '';
  return { cause: reason?.message ?? String(error), remedy: REMEDIES[code] };
}

const CHECK_THE_NAME = 'no name server of this machine knows the name: check the address and its DNS record';
const NAME_THE_AUTHORITY =
  'this machine does not know who signed its certificate: give the file of that authority in NODE_EXTRA_CA_CERTS';

const REMEDIES: Record<string, string> = {
  ENOTFOUND: CHECK_THE_NAME,
  EAI_AGAIN: CHECK_THE_NAME,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: NAME_THE_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NAME_THE_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: NAME_THE_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: NAME_THE_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is for another name: check the address, or give its Ingress a certificate',
  CERT_HAS_EXPIRED: 'its certificate has run out: whoever runs this Berth has to renew it',
};
