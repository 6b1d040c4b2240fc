/** How a text table is written: its separator, and the rows of titles above its header. */
export type Dialect = { readonly separator: ',' | ';' | '\t'; readonly titles: number };

const separators = [',', ';', '\t'] as const;

/** The names that publishers give to the first column of figures by date. */
const dateName = /^(?:observation_|period_start_)?date$|^sasdate$/i;

/** The most rows of titles that are looked through for a header. */
const mostTitles = 60;

/**
 * The dialect of a table that begins with `head`. The header is the first row, unless a spreadsheet has titles above it:
 * rows of at most two cells, then a row that begins with the name of a date column, then a row that begins with a digit.
 */
export function dialectOf(head: string): Dialect {
  const lines = linesOf(head, mostTitles + 2);
  const titles = titlesAbove(lines);
  const header = lines[titles] ?? '';
  const counts = separators.map((separator) => cellsIn(header, separator).length);
  const most = counts.indexOf(Math.max(...counts));
  return { separator: separators[most] ?? ',', titles };
}

function titlesAbove(lines: readonly string[]): number {
  for (const [index, line] of lines.entries()) {
    if (separators.some((separator) => isHeader(cellsIn(line, separator)))) {
      const next = lines.slice(index + 1).find((below) => !isBlank(below)) ?? '';
      return /^"?\d/.test(next) ? index : 0;
    }
    if (separators.some((separator) => cellsIn(line, separator).filter((cell) => cell !== '').length > 2))
      return 0;
  }
  return 0;
}

function isHeader([first = '', ...others]: readonly string[]): boolean {
  return dateName.test(first) && others.some((cell) => cell !== '');
}

function isBlank(line: string): boolean {
  return /^[\s,;]*$/.test(line);
}

/** The first lines of a text, without a byte-order mark and line ends. */
export function linesOf(head: string, count: number): readonly string[] {
  // The byte-order mark is one character, or three in a head that was decoded byte by byte.
  const text = head.replace(/^(?:\uFEFF|\u00EF\u00BB\u00BF)/, '');
  return text.split('\n', count).map((line) => line.replace(/\r$/, ''));
}

/** The cells of one line, without blanks and quotes around them; good for recognising a format only. */
export function cellsIn(line: string, separator: Dialect['separator']): readonly string[] {
  const cells: string[] = [];
  let [start, quoted] = [0, false];
  for (let at = 0; at <= line.length; at += 1) {
    if (line[at] === '"') quoted = !quoted;
    if (at < line.length && (quoted || line[at] !== separator)) continue;
    cells.push(
      line
        .slice(start, at)
        .trim()
        .replace(/^"(.*)"$/, '$1'),
    );
    start = at + 1;
  }
  return cells;
}
