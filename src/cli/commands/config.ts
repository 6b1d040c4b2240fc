import type { Command } from 'commander';
import { Problem } from '../../errors/problem.ts';
import { changeConfigFile, configPath, readConfigFile } from '../config/config-file.ts';
import { readSettings, settingNamed, settings, settingValue } from '../config/settings.ts';
import { exitCode } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';

/** Makes a subcommand of a name and a summary. */
type Subcommand = (name: string, summary: string) => Command;

/** `asof config get|set|unset|list|path`: what this user has set. */
export function configCommand(subcommand: Subcommand, io: Io, done: (code: number) => void): void {
  const width = Math.max(...settings.map(([name]) => name.length));
  const lines = settings.map(([name, description]) => `  ${name.padEnd(width)}  ${description}`);
  const help = `\nSettings:\n${lines.join('\n')}`;

  subcommand('get', 'Print the value of a setting')
    .argument('<name>')
    .addHelpText('after', help)
    .action((name: string) => done(get(name, io)));
  subcommand('set', 'Set a setting')
    .argument('<name>')
    .argument('<value>')
    .addHelpText('after', help)
    .action(async (name: string, value: string) => done(await set(name, value, io)));
  subcommand('unset', 'Forget a setting')
    .argument('<name>')
    .addHelpText('after', help)
    .action(async (name: string) => done(await unset(name, io)));
  subcommand('list', 'Print what is set').action(() => done(list(io)));
  subcommand('path', 'Print where the settings are kept').action(() => {
    io.stdout.write(`${configPath(io, 'config')}\n`);
    done(exitCode.success);
  });
}

function get(text: string, io: Io): number {
  const name = settingNamed(text);
  const value = readSettings(io)[name];
  if (value === undefined) throw new Problem('not-found', `${name} is not set`);
  io.stdout.write(`${value}\n`);
  return exitCode.success;
}

async function set(text: string, value: string, io: Io): Promise<number> {
  const name = settingNamed(text);
  await changeConfigFile(io, 'config', name, settingValue(name, value));
  return exitCode.success;
}

async function unset(text: string, io: Io): Promise<number> {
  await changeConfigFile(io, 'config', settingNamed(text), undefined);
  return exitCode.success;
}

/** As the file has them, so that a value which cannot be is seen. */
function list(io: Io): number {
  const entries = readConfigFile(io, 'config');
  for (const [name] of settings)
    if (entries[name] !== undefined) io.stdout.write(`${name}=${entries[name]}\n`);
  return exitCode.success;
}
