import { describe, expect, it } from 'vitest';
import { platformHosts } from './platform-hosts.ts';

describe('the hosts of the platform', () => {
  it('are what people type on their own machine', () => {
    const hosts = platformHosts({ publicUrl: 'http://localhost:7400', domain: 'localhost', bind: '127.0.0.1' });
    expect(hosts).toEqual(['localhost', '127.0.0.1', '[::1]']);
  });

  it('are not those of this machine when others can reach it', () => {
    const hosts = platformHosts({
      publicUrl: 'https://berth.example.com',
      domain: 'apps.example.com',
      bind: '0.0.0.0',
    });
    expect(hosts).toEqual(['berth.example.com', 'apps.example.com']);
  });

  it('have the address that was bound, in brackets where it needs them', () => {
    const hosts = platformHosts({ publicUrl: 'http://a.test', domain: 'a.test', bind: '2001:db8::1' });
    expect(hosts).toEqual(['a.test', '[2001:db8::1]']);
  });
});
