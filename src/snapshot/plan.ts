import { Problem } from '../errors/problem.ts';

/** A file of a plan, and the command that writes it. */
export type PlanLine = {
  readonly number: number;
  readonly name: string;
  readonly words: readonly string[];
};

/** The file of a snapshot that describes the others. */
export const manifestName = 'manifest.json';

/** Reads the lines of a plan, without comments; throws a Problem that names the faulty line. */
export function readPlan(bytes: Uint8Array, path: string): readonly PlanLine[] {
  const lines = textOf(bytes, path)
    .split('\n')
    .flatMap((text, index) => {
      const number = index + 1;
      try {
        return readLine(text.replace(/\r$/, ''), number);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        throw error.with({ detail: `${path} line ${number}: ${error.headline}`, field: undefined });
      }
    });
  if (lines.length === 0)
    throw new Problem('bad-input', `${path} has no lines`, {
      hints: ['a line is the name of a file and an asof command: gdp.csv observations GDP'],
    });
  const names = new Map<string, PlanLine>();
  for (const line of lines) {
    // Some file systems ignore letter case.
    const key = line.name.normalize('NFC').toLowerCase();
    const other = names.get(key);
    if (other !== undefined)
      throw new Problem(
        'bad-input',
        `${path} line ${line.number}: ${line.name} is already written by line ${other.number}`,
      );
    names.set(key, line);
  }
  return lines;
}

function textOf(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Problem('bad-input', `${path} is not a UTF-8 text`, { cause });
  }
}

function readLine(text: string, number: number): readonly PlanLine[] {
  const [name, ...words] = wordsOf(text);
  if (name === undefined) return [];
  const fault = faultOfName(name);
  if (fault !== undefined)
    throw new Problem('bad-input', `${JSON.stringify(name)} cannot name a file of a snapshot: ${fault}`);
  if (words.length === 0)
    throw new Problem('bad-input', `${name} has no command`, { hints: [`such as ${name} observations GDP`] });
  return [{ number, name, words }];
}

/** Explains why a text cannot name a file of a snapshot; undefined if it can. */
export function faultOfName(name: string): string | undefined {
  if (name === '') return 'it is empty';
  if (/[/\\]/.test(name)) return 'all files are in one folder';
  if (name.startsWith('.')) return 'it starts with a dot';
  if (name.startsWith('-')) return 'it starts with a dash';
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(name)) return 'it contains an invisible character';
  // Temporary names are a little longer.
  if (Buffer.byteLength(name) > 200) return 'it is longer than 200 bytes';
  return name.toLowerCase() === manifestName ? 'asof writes that file itself' : undefined;
}

/**
 * Splits a line into words at blanks; expands nothing, and a `#` at the start of a word begins a comment.
 * Quotes and backslashes protect blanks and `#` as in a shell.
 */
export function wordsOf(line: string): readonly string[] {
  const control = /(?!\t)\p{Cc}/u.exec(line)?.[0];
  if (control !== undefined)
    throw new Problem('bad-input', `it contains the control character U+${codeOf(control)}`);
  const words: string[] = [];
  const piece = /\\(.?)|'([^']*)('?)|"((?:[^"\\]|\\.)*)("?)|([ \t]+)|([^\\'" \t]+)/gsuy;
  let word: string | undefined;
  for (const [whole, escaped, single, singleEnd, double, doubleEnd, blank] of line.matchAll(piece)) {
    if (blank !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    if (word === undefined && whole.startsWith('#')) break;
    if (escaped === '')
      throw new Problem('bad-input', 'it ends in a backslash, but a line cannot continue on the next');
    if (singleEnd === '' || doubleEnd === '')
      throw new Problem('bad-input', `a quote is not closed: ${whole}`);
    word = (word ?? '') + (escaped ?? single ?? double?.replace(/\\(["\\])/g, '$1') ?? whole);
  }
  return word === undefined ? words : [...words, word];
}

function codeOf(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
}

/** Joins words into a line that `wordsOf` and every shell split into the same words. */
export function lineOf(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
}
