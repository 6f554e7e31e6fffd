import type { Command } from 'commander';
import { connect, findTeam } from '../connection.ts';
import type { CliContext } from '../context.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import type { Register } from './command.ts';

/** One line a candidate; the shells' scripts ask `berth __complete` with the words so far, the last one unfinished. */
const SCRIPTS: Record<string, string> = {
  bash: `_berth() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(berth __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _berth berth
`,
  zsh: `#compdef berth
_berth() {
  local -a candidates
  candidates=("\${(@f)$(berth __complete -- "\${words[@]:1:$((CURRENT-1))}" 2>/dev/null)}")
  compadd -a candidates
}
compdef _berth berth
`,
  fish: `complete -c berth -f -a '(set -l words (commandline -opc) (commandline -ct); berth __complete -- $words[2..-1] 2>/dev/null)'
`,
};

/** Names from the server are worth so long a wait, and no error. */
const PATIENCE_MS = 2_000;
/** Commands whose first argument is a deployment's name. */
const BY_DEPLOYMENT = /^<name>|^\[name\]/;

export const registerCompletion: Register = (program, context) => {
  program
    .command('completion')
    .summary('completion of commands and names in your shell')
    .description('Prints a script that completes commands, options and the names of your deployments.')
    .argument('<shell>', Object.keys(SCRIPTS).join(', '))
    .addHelpText('after', '\nExample:\n  echo \'eval "$(berth completion bash)"\' >> ~/.bashrc')
    .action((shell: string) => {
      const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
      if (script === undefined) {
        throw new CliError(
          EXIT_CODES.usage,
          `there is no completion for "${shell}": ${Object.keys(SCRIPTS).join(', ')}`,
        );
      }
      context.output.write(script);
    });
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: string[]) => {
      for (const candidate of await complete(program, words, context)) context.output.write(`${candidate}\n`);
    });
};

async function complete(program: Command, words: readonly string[], context: CliContext): Promise<string[]> {
  const unfinished = words.at(-1) ?? '';
  let command = program;
  let given = 0;
  for (const word of words.slice(0, -1)) {
    const next =
      given === 0 ? command.commands.find((each) => [each.name(), ...each.aliases()].includes(word)) : undefined;
    if (next) command = next;
    else if (!word.startsWith('-')) given++;
  }
  const candidates = await candidatesOf(command, { unfinished, given, before: words.at(-2) ?? '' }, context);
  return candidates.filter((each) => each.startsWith(unfinished)).sort();
}

async function candidatesOf(
  command: Command,
  { unfinished, given, before }: { unfinished: string; given: number; before: string },
  context: CliContext,
): Promise<string[]> {
  const option = command.options.find(({ long, short }) => before !== '' && [long, short].includes(before));
  if (option?.argChoices) return [...option.argChoices];
  if (unfinished.startsWith('-')) return command.options.flatMap(({ long }) => long ?? []);
  if (command.commands.length > 0) {
    return command
      .createHelp()
      .visibleCommands(command)
      .map((each) => each.name());
  }
  const argument = command.registeredArguments[given];
  if (argument?.argChoices) return [...argument.argChoices];
  const usage = command.usage().replace(/^\[options\] /, '');
  if (given === 0 && BY_DEPLOYMENT.test(usage) && command.parent?.parent === null)
    return names(context, command.name());
  if (given === 0 && argument?.name() === 'template') return names(context, 'templates');
  return [];
}

async function names(context: CliContext, command: string): Promise<string[]> {
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(PATIENCE_MS)]);
  try {
    const connection = connect(context, {});
    const team = await findTeam(context, connection, {});
    const query = { team: team.id };
    if (command === 'templates')
      return (await connection.client.call('listTemplates', { query, signal })).items.map(({ name }) => name);
    return (await connection.client.call('listDeployments', { query: { ...query, limit: 500 }, signal })).items.map(
      ({ name }) => name,
    );
  } catch {
    // Whoever is not signed in, or offline, completes commands only.
    return [];
  }
}
