import { makeTestCertificates, type TestCertificates } from '@berth/kube/client/testing/test-certificates';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTcpServer, type TcpServer } from '../testing/postgres.ts';
import { connectionProblem } from './connection-problem.ts';
import { openDatabase } from './pool.ts';

describe('a database with TLS', () => {
  let certificates: TestCertificates;
  let secure: TcpServer;
  let plain: TcpServer;
  beforeAll(async () => {
    certificates = await makeTestCertificates();
    [secure, plain] = await Promise.all([startTcpServer(certificates.server), startTcpServer()]);
  });
  afterAll(() => {
    secure.stop();
    plain.stop();
  });

  async function attempt(url: string, authority?: string): Promise<string> {
    const database = openDatabase({ url, authority, applicationName: 'test', connections: 1 });
    try {
      const [row] = await database.query<{ ssl: boolean }>('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
      return row?.ssl ? 'encrypted' : 'open';
    } catch (error) {
      const problem = connectionProblem(error, url);
      return `${problem?.lasting ? 'lasting' : 'passing'}: ${problem?.sentence}`;
    } finally {
      await database.close();
    }
  }

  it('is spoken to as the address says', async () => {
    const url = secure.url('127.0.0.1');
    expect(await attempt(url)).toBe('open');
    expect(await attempt(`${url}?sslmode=require`)).toBe('encrypted');
    expect(await attempt(`${url}?sslmode=verify-ca`, certificates.ca)).toBe('encrypted');
    expect(await attempt(`${url}?sslmode=verify-full`, certificates.ca)).toBe('encrypted');
    expect(await attempt(`${secure.url('localhost')}?sslmode=verify-full`, certificates.ca)).toBe('encrypted');
  });

  it('is listened to over TLS as well', async () => {
    const url = `${secure.url('127.0.0.1')}?sslmode=verify-full`;
    const database = openDatabase({ url, authority: certificates.ca, applicationName: 'test', connections: 1 });
    const heard = new Promise<string>((resolve) => {
      void database.listen('news', {
        onNotification: resolve,
        onGap: () => void database.execute("select pg_notify('news', 'x')"),
      });
    });
    expect(await heard).toBe('x');
    await database.close();
  });

  it('is refused when its certificate is for another host, or from somebody else', async () => {
    const elsewhere = secure.url('127.0.0.2');
    expect(await attempt(`${elsewhere}?sslmode=verify-ca`, certificates.ca)).toBe('encrypted');
    expect(await attempt(`${elsewhere}?sslmode=verify-full`, certificates.ca)).toMatch(
      /^lasting: the database at 127\.0\.0\.2:\d+ cannot be trusted: its certificate is for another host; give/,
    );
    const stranger = await makeTestCertificates();
    expect(await attempt(`${secure.url('127.0.0.1')}?sslmode=verify-ca`, stranger.ca)).toMatch(
      /^lasting: .* cannot be trusted: /,
    );
    expect(await attempt(`${secure.url('127.0.0.1')}?sslmode=verify-full`)).toMatch(
      /nobody that we know vouches for its certificate; give its authority in BERTH_DATABASE_CA_FILE/,
    );
  });

  it('is told apart from one that has none, and from one that is away', async () => {
    expect(await attempt(`${plain.url('127.0.0.1')}?sslmode=require`)).toMatch(
      /^lasting: .* does not speak TLS, and DATABASE_URL wants it/,
    );
    expect(await attempt('postgres://berth@127.0.0.1:1/berth')).toMatch(
      /^passing: the database at 127\.0\.0\.1:1 does not answer \(.*ECONNREFUSED/,
    );
  });
});
