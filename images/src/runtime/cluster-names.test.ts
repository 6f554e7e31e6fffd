import { describe, expect, it } from 'vitest';
import { type ClusterHosts, findLoopback, findService, findServiceByAddress } from './cluster-names.ts';

const hosts: ClusterHosts = {
  services: {
    'shop/db': { addresses: ['127.32.0.5'] },
    'blog/db': { addresses: ['127.32.0.6'], ports: { '80': 40_080 } },
  },
};

describe('names of Services', () => {
  it.each([
    ['db', '127.32.0.5'],
    ['DB', '127.32.0.5'],
    ['db.blog', '127.32.0.6'],
    ['db.blog.svc', '127.32.0.6'],
    ['db.blog.svc.cluster.local', '127.32.0.6'],
    ['db.blog.svc.cluster.local.', '127.32.0.6'],
  ])('%s is found', (name, address) => {
    expect(findService(hosts, name, 'shop')?.addresses).toEqual([address]);
  });

  it.each(['db.example.com', 'db.blog.svc.other.local', 'cache', '', 'localhost'])('%s is left to DNS', (name) => {
    expect(findService(hosts, name, 'shop')).toBeUndefined();
  });

  it.each([
    ['shop.localhost', ['127.0.0.1']],
    ['a.b.LOCALHOST.', ['127.0.0.1']],
    ['localhost', undefined],
    ['notlocalhost', undefined],
    ['shop.localhost.example', undefined],
  ])('%s below localhost is this machine', (name, addresses) => {
    expect(findLoopback(name)?.addresses).toEqual(addresses);
  });

  it('finds a Service by its address, for programs that use service variables', () => {
    expect(findServiceByAddress(hosts, '127.32.0.6')?.ports).toEqual({ '80': 40_080 });
  });
});
