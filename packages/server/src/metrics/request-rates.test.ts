import { describe, expect, it } from 'vitest';
import { createRequestRates } from './request-rates.ts';
import { ruleHosts } from './rule-hosts.ts';

const counters = (counts: Record<string, number>, from = 'router') => [
  {
    from,
    text: Object.entries(counts)
      .map(([key, value]) => `router_requests_total{host="${key.split(' ')[0]}",class="${key.split(' ')[1]}"} ${value}`)
      .join('\n'),
  },
];
const text = (...lines: string[]) => [{ from: 'ingress', text: lines.join('\n') }];

describe('request rates', () => {
  it('are differences, with errors apart', () => {
    const rates = createRequestRates();
    expect(rates(counters({ 'a 2xx': 100, 'a 5xx': 1 }), 0)).toBeUndefined();
    expect(rates(counters({ 'a 2xx': 150, 'a 4xx': 10, 'a 5xx': 21 }), 10_000)).toEqual({
      rates: [{ host: 'a', requests: 8, errors: 2 }],
      rules: [],
    });
    expect(rates(counters({ 'a 2xx': 150, 'a 4xx': 10, 'a 5xx': 21 }), 20_000)).toEqual({
      rates: [{ host: 'a', requests: 0, errors: 0 }],
      rules: [],
    });
  });

  it('hold when the router has begun anew, and when a host is new', () => {
    const rates = createRequestRates();
    rates(counters({ 'a 2xx': 1000 }), 0);
    expect(rates(counters({ 'a 2xx': 20, 'b 2xx': 10 }), 10_000)).toEqual({
      rates: [
        { host: 'a', requests: 2, errors: 0 },
        { host: 'b', requests: 1, errors: 0 },
      ],
      rules: [],
    });
  });

  it('are a gap after a long silence, not one tall spike', () => {
    const rates = createRequestRates();
    rates(counters({ 'a 2xx': 0 }), 0);
    expect(rates(counters({ 'a 2xx': 100_000 }), 600_000)).toBeUndefined();
    expect(rates(counters({ 'a 2xx': 100_010 }), 610_000)).toMatchObject({
      rates: [{ host: 'a', requests: 1, errors: 0 }],
    });
  });

  it('add up over several routers, of which a new one tells nothing yet', () => {
    const rates = createRequestRates();
    rates([...counters({ 'a 2xx': 0 }, 'one'), ...counters({ 'a 2xx': 500 }, 'two')], 0);
    const next = [
      ...counters({ 'a 2xx': 10 }, 'one'),
      ...counters({ 'a 2xx': 530 }, 'two'),
      ...counters({ 'a 2xx': 7000 }, 'new'),
    ];
    expect(rates(next, 10_000)).toMatchObject({ rates: [{ host: 'a', requests: 4, errors: 0 }] });
  });

  it('are read from what Traefik and ingress-nginx count', () => {
    const rates = createRequestRates();
    const traefik = (code: number, method: string, count: number) =>
      `traefik_router_requests_total{code="${code}",method="${method}",protocol="http",router="team-shop-shop-apps-test@kubernetes",service="team-shop-web-http@kubernetes"} ${count}`;
    const nginx = (status: number, count: number) =>
      `nginx_ingress_controller_requests{controller_class="k8s.io/ingress-nginx",host="shop.apps.test",ingress="shop",status="${status}"} ${count}`;
    rates(text(traefik(200, 'GET', 0), nginx(200, 0)), 0);
    expect(
      rates(text(traefik(200, 'GET', 10), traefik(502, 'POST', 10), nginx(200, 10), nginx(500, 10)), 10_000),
    ).toEqual({
      rates: [{ host: 'shop.apps.test', requests: 2, errors: 1 }],
      rules: [{ host: 'team-shop-shop-apps-test@kubernetes', requests: 2, errors: 1 }],
    });
  });

  it('of rules are those of the host that was meant, also with a path, and nobody’s when it is none of ours', () => {
    const claims = [
      { namespace: 'team', deployment: 'shop', host: 'shop.apps.test' },
      { namespace: 'team', deployment: 'shop', host: 'shop.apps.test.example' },
      { namespace: 'team-shop', deployment: 'x', host: 'y.test' },
    ];
    const rules = {
      'team-shop-shop-apps-test@kubernetes': 'shop.apps.test',
      'team-shop-shop-apps-test-api-v1@kubernetes': 'shop.apps.test',
      'team-shop-shop-apps-test-example@kubernetes': 'shop.apps.test.example',
      'websecure-team-shop-shop-apps-test@kubernetes': 'shop.apps.test',
      'berth-server-berth-test@kubernetes': undefined,
      '@internal': undefined,
    };
    const hosts = ruleHosts(Object.keys(rules), claims);
    for (const [rule, host] of Object.entries(rules)) expect(hosts.get(rule)).toBe(host);
  });
});
