import { Problem } from '../../errors/problem.ts';
import { parseFormat } from '../../render/formats.ts';
import type { OutputFlags } from '../../render/output.ts';
import { retryCount, timeoutSeconds, waitSeconds } from '../config/settings.ts';
import type { ConnectionFlags, MessageFlags, ParsedLine } from './line.ts';
import type { TypedLine } from './typed-line.ts';

/** The headings under which help lists commands. */
export type CommandGroup = 'Series' | 'Treasury rates' | 'Insiders' | 'Files' | 'Service' | 'Setup';

/** A flag of a command. */
export type Flag = {
  /** Its name without dashes. */
  readonly name: string;
  readonly short?: string;
  /** What help calls its value, which is completed by this name; a flag without one is a switch. */
  readonly value?: string;
  readonly about: string;
  /** The values that it may have. */
  readonly choices?: readonly string[];
  /** Its value where it is not given, which help shows. */
  readonly fallback?: string;
  readonly required?: boolean;
  /** Whether a text can be its value, so that a stray argument finds the flag that it belongs to. */
  readonly accepts?: (text: string) => boolean;
  /** Whether it may be given several times. */
  readonly repeatable?: boolean;
  /** The heading of help that it is listed under, unless it is the command's own. */
  readonly group?: FlagGroup;
};

/** The headings for the flags that many commands share. */
type FlagGroup = 'Output' | 'Connection' | 'Messages';

/** An argument of a command. */
export type ArgumentSpec = {
  readonly name: string;
  readonly about?: string;
  readonly optional?: boolean;
  readonly several?: boolean;
  readonly choices?: readonly string[];
};

/** A command, declared once: parsing, help and completion are made from this. */
export type CommandSpec = {
  /** The words that call it, such as `insider clusters`. */
  readonly words: string;
  readonly alias?: string;
  /** Where help lists it, by its own name or by that of the group of commands that it belongs to. */
  readonly heading: CommandGroup;
  readonly summary: string;
  /** What help says besides the summary. */
  readonly about?: string;
  readonly args: readonly ArgumentSpec[];
  /** The flags in the order of help: the command's own, then those with a heading. */
  readonly flags: readonly Flag[];
  /** What a line of it asks for, as data; a Problem where a value or a combination of flags cannot be. */
  readonly read: (line: TypedLine) => ParsedLine;
};

/** What the flags of the heading Messages say. */
export function messagesIn(line: TypedLine): MessageFlags {
  return { quiet: line.has('quiet'), verbose: line.has('verbose'), debug: line.has('debug') };
}

/** What the flags of the heading Connection say. */
export function connectionIn(line: TypedLine): ConnectionFlags {
  const [store, baseUrl] = [line.text('store'), line.text('base-url')];
  if (store !== undefined && baseUrl !== undefined)
    throw new Problem('bad-input', 'use either --base-url (a service) or --store (a file)');
  const timeout = line.value('timeout', timeoutSeconds);
  const retries = line.value('retries', retryCount);
  const maxWait = line.value('max-wait', waitSeconds);
  return {
    ...(store !== undefined && { store }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(timeout !== undefined && { timeout }),
    ...(retries !== undefined && { retries }),
    ...(maxWait !== undefined && { maxWait }),
  };
}

/** What the flags of the heading Output say. */
export function outputIn(line: TypedLine): OutputFlags {
  const named = line.text('format');
  const formats = [
    ...(named === undefined ? [] : [parseFormat(named)]),
    ...(line.has('csv') ? (['csv'] as const) : []),
    ...(line.has('json') ? (['json'] as const) : []),
  ];
  if (new Set(formats).size > 1) throw new Problem('bad-input', `two formats: ${formats.join(' and ')}`);
  const [format] = formats;
  const file = fileIn(line);
  const columns = line.text('columns')?.split(',');
  return {
    ...(format !== undefined && { format }),
    ...(file !== undefined && { file }),
    ...(columns !== undefined && { columns }),
    header: !line.has('no-header'),
    everything: line.has('all'),
    plot: line.has('plot'),
    failEmpty: line.has('fail-empty'),
    colour: !line.has('no-color'),
  };
}

/** The file that `-o` names, or undefined for stdout. */
export function fileIn(line: TypedLine): string | undefined {
  const file = line.text('output');
  if (file === '') throw new Problem('bad-input', '--output "": use the name of a file, or - for stdout');
  return file === '-' ? undefined : file;
}
