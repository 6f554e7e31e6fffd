import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderTemplate } from '@berth/core/render';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { createLogger } from '../logger.ts';
import { createTestDatabase, type TestDatabase } from '../testing/postgres.ts';
import { findTemplate } from './find-template.ts';
import { loadCatalogue } from './load-catalogue.ts';
import { templateHandlers } from './routes.ts';

const SHIPPED = fileURLToPath(new URL('../../../../templates', import.meta.url));

describe('the catalogue', () => {
  let database: TestDatabase;
  let directory: string;
  const load = (development = false) =>
    loadCatalogue(
      { database, clock: systemClock, log: createLogger({ name: 'test', level: 'silent' }), development },
      directory,
    );
  const edit = async (file: string, from: string, to: string) => {
    const path = join(directory, file);
    await writeFile(path, (await readFile(path, 'utf8')).replace(from, to));
  };

  beforeEach(async () => {
    database = await createTestDatabase();
    directory = await mkdtemp(join(tmpdir(), 'berth-templates-'));
    await cp(SHIPPED, directory, { recursive: true });
  });
  afterEach(async () => {
    await database.close();
    await rm(directory, { recursive: true });
  });

  it('ships templates that render with little filled in', async () => {
    const title = `A "title": with $(EVERYTHING) \${{ in.it }}`;
    await load();
    const guestbook = renderTemplate({
      template: await findTemplate(database, { name: 'guestbook' }),
      name: 'our-book',
      values: { title },
      host: 'our-book.localhost',
      url: 'http://our-book.localhost',
    });
    expect(guestbook.services.map((service) => service.name)).toEqual(['web', 'db']);
    expect(guestbook.services[1]?.volumes).toEqual([
      { name: 'data', mountPath: '/var/lib/postgresql/data', size: '1Gi' },
    ]);
    expect(guestbook.services[0]?.env).toContainEqual({ name: 'DATABASE_HOST', value: 'our-book-db' });
    expect(guestbook.services[0]?.env).toContainEqual({
      name: 'TITLE',
      value: title,
    });
    expect(guestbook.secretKeys).toEqual(['databasePassword']);
    renderTemplate({ template: await findTemplate(database, { name: 'whoami' }), name: 'who', values: {} });
  });

  it('loads the same files twice without a change', async () => {
    await load();
    const before = await database.query('select * from templates order by name');
    await Promise.all([load(), load()]);
    expect(await database.query('select * from templates order by name')).toEqual(before);
  });

  it('offers the newest file and keeps every version that was there', async () => {
    await load();
    await edit('whoami.yaml', 'version: 1.0.0', 'version: 1.10.0');
    await load();
    await edit('whoami.yaml', 'version: 1.10.0', 'version: 1.9.0');
    await load();
    const { getTemplate } = templateHandlers({ database, clock: systemClock });
    const detail = await getTemplate({ params: { name: 'whoami' }, query: {} } as Parameters<typeof getTemplate>[0]);
    expect(detail.version).toBe('1.9.0');
    expect(detail.versions).toEqual(['1.10.0', '1.9.0', '1.0.0']);
    expect((await findTemplate(database, { name: 'whoami', version: '1.0.0' })).spec.version).toBe('1.0.0');
    await expect(findTemplate(database, { name: 'whoami', version: '3.0.0' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('no longer offers what has no file, and still knows it', async () => {
    await load();
    await rm(join(directory, 'whoami.yaml'));
    await load();
    await expect(findTemplate(database, { name: 'whoami' })).rejects.toMatchObject({ code: 'not_found' });
    expect((await findTemplate(database, { name: 'whoami', version: '1.0.0' })).metadata.name).toBe('whoami');
  });

  it('refuses a changed file with an unchanged version, except while templates are being written', async () => {
    await load();
    await edit('whoami.yaml', 'label: Greeting', 'label: Headline');
    await expect(load()).rejects.toThrow(/"whoami" was changed but still has version 1.0.0.*raise its version/);
    await load(true);
    expect((await findTemplate(database, { name: 'whoami' })).spec.parameters?.[0]?.label).toBe('Headline');
  });

  it('loads nothing when one file is wrong, and names the file, field and line', async () => {
    await edit('whoami.yaml', 'type: boolean', 'type: bolean');
    await expect(load()).rejects.toThrow(/whoami.yaml .*spec.parameters\[1\].type: .*\(line \d+\)/);
    expect(await database.query('select * from templates')).toEqual([]);
  });

  it('refuses two files that describe one template', async () => {
    await cp(join(directory, 'whoami.yaml'), join(directory, 'who.yaml'));
    await expect(load()).rejects.toThrow(/whoami.yaml and who.yaml both describe the template "whoami"/);
  });
});
