import { EXIT_CODE_HELP } from '../exit-codes.ts';
import type { Register } from './command.ts';

/** The server reads the flags itself, so that `npm start` and `berth up` can never differ. */
export const registerUp: Register = (program, context) => {
  program
    .command('up')
    .summary('run Berth on this machine')
    .description('Runs Berth on this machine: a database, a cluster, the platform and your apps, on one port.')
    .usage('[--data DIR] [--port N] [--domain NAME] [--bind ADDRESS] [--kubeconfig FILE] [--plan NAME]')
    .addHelpText(
      'after',
      `
Flags:
  --data DIR         where Berth keeps everything (.berth)
  --port N           the port of the platform and of every app (7400)
  --domain NAME      apps answer at APP.NAME (localhost)
  --bind ADDRESS     the address to listen on (127.0.0.1)
  --kubeconfig FILE  run apps on this cluster, not on the one that Berth brings
  --plan NAME        what a new organization may use: free, business, enterprise (business)

Variables:
  DATABASE_URL       a PostgreSQL to use, not the one that Berth brings
  BERTH_PUBLIC_URL   how people reach the platform when something stands in front of it

${EXIT_CODE_HELP}`,
    )
    .argument('[flags...]')
    .allowUnknownOption()
    .action(async (flags: string[]) => {
      await context.runServer('up', flags);
    });
};
