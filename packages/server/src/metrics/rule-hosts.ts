import type { Queryable } from '../db/database.ts';

/** Who has claimed a public host. */
export interface ClaimedHost {
  host: string;
  namespace: string;
  deployment: string;
}

export function listClaimedHosts(queryable: Queryable): Promise<ClaimedHost[]> {
  return queryable.query<ClaimedHost>(
    `select c.host, t.namespace, d.name as deployment
     from host_claims c join deployments d on d.id = c.deployment_id join teams t on t.id = d.team_id`,
  );
}

/**
 * The hosts that Traefik's rules lead to. It names a rule `NAMESPACE-INGRESS-HOST/PATH@kubernetes`, with every run of other characters than
 * letters and digits written as one hyphen; an Ingress of ours is named as its deployment. Of several that fit, the longest is meant.
 */
export function ruleHosts(rules: Iterable<string>, claims: readonly ClaimedHost[]): Map<string, string> {
  const byPrefix = new Map(
    claims.map(({ namespace, deployment, host }) => [hyphenated(`${namespace}-${deployment}-${host}`), host]),
  );
  const hosts = new Map<string, string>();
  for (const rule of new Set(rules)) {
    const name = rule.replace(/@.*$/, '');
    // An entry point with settings of its own writes its name in front.
    const host = longestPrefix(byPrefix, name) ?? longestPrefix(byPrefix, name.slice(name.indexOf('-') + 1));
    if (host !== undefined) hosts.set(rule, host);
  }
  return hosts;
}

/** At the ends of words only. */
function longestPrefix(byPrefix: ReadonlyMap<string, string>, name: string): string | undefined {
  for (let end = name.length; end > 0; end = name.lastIndexOf('-', end - 1)) {
    const host = byPrefix.get(name.slice(0, end));
    if (host !== undefined) return host;
  }
  return undefined;
}

function hyphenated(text: string): string {
  return text.split(/[^\p{L}\p{N}]+/u).join('-');
}
