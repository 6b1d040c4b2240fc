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
  let texts: readonly string[];
  try {
    texts = new TextDecoder('utf-8', { fatal: true }).decode(bytes).split(/\r?\n/);
  } catch (cause) {
    throw new Problem('bad-input', `${path} is not a UTF-8 text`, { cause });
  }
  const lines: PlanLine[] = [];
  // Some file systems ignore letter case.
  const keyOf = (name: string) => name.normalize('NFC').toLowerCase();
  for (const [index, text] of texts.entries())
    try {
      const [name, ...words] = wordsOf(text);
      if (name === undefined) continue;
      checkLine(name, words);
      const other = lines.find((line) => keyOf(line.name) === keyOf(name));
      if (other !== undefined)
        throw new Problem('bad-input', `${name} is already written by line ${other.number}`);
      lines.push({ number: index + 1, name, words });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      throw error.with({ detail: `${path} line ${index + 1}: ${error.headline}`, field: undefined });
    }
  if (lines.length > 0) return lines;
  throw new Problem('bad-input', `${path} has no lines`, {
    hints: ['a line is the name of a file and an asof command: gdp.csv observations GDP'],
  });
}

function checkLine(name: string, words: readonly string[]): void {
  const fault = faultOfName(name);
  if (fault !== undefined)
    throw new Problem('bad-input', `${JSON.stringify(name)} cannot name a file of a snapshot: ${fault}`);
  if (words.length === 0)
    throw new Problem('bad-input', `${name} has no command`, { hints: [`such as ${name} observations GDP`] });
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
  if (control !== undefined) {
    const code = control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    throw new Problem('bad-input', `it contains the control character U+${code}`);
  }
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

/** Joins words into a line that `wordsOf` and every shell split into the same words. */
export function lineOf(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
}
