// Where the hosts of a test are. No resolver knows them all: `*.localhost` is not resolved everywhere, and the domains of a cluster for
// tests are nobody's. BERTH_TEST_HOSTS is an address and the domains that are there with all below them; other names are resolved as always.
// Loaded by what tests run in and, with --import, by the programs that they start.
import dns from 'node:dns';

const [address, ...domains] = (process.env.BERTH_TEST_HOSTS ?? '127.0.0.1 localhost').split(' ');
const lookup = dns.lookup;

dns.lookup = (host, options, callback) => {
  const name = String(host).toLowerCase();
  if (!domains.some((domain) => name === domain || name.endsWith(`.${domain}`))) return lookup(host, options, callback);
  const done = callback ?? options;
  const all = typeof options === 'object' && options?.all === true;
  process.nextTick(() => (all ? done(null, [{ address, family: 4 }]) : done(null, address, 4)));
};
