/** How a text is to look: as it comes, bold, dim, or in the colour of a line. */
export type Style = 'plain' | 'bold' | 'dim' | number;

/** A text and how it is to look. */
export type Inked = readonly [text: string, style: Style];

/** Colours of a terminal's own palette that can be read on light and on dark. */
const colours = [36, 35, 32, 31, 34, 33];

/** Lines of text, without blanks at their ends; with escape sequences only where colour is allowed. */
export function ink(lines: readonly (readonly Inked[])[], colour: boolean): string {
  return lines
    .map((line) => `${colour ? coloured(line) : line.map(([text]) => text).join('')}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('');
}

function coloured(line: readonly Inked[]): string {
  return trimmed(joined(line))
    .map(([text, style]) => painted(text, style))
    .join('');
}

/** Neighbours of one style as one text. */
function joined(line: readonly Inked[]): readonly Inked[] {
  const parts: Inked[] = [];
  for (const [text, style] of line) {
    const last = parts.at(-1);
    if (last !== undefined && (last[1] === style || text.trim() === ''))
      parts[parts.length - 1] = [last[0] + text, last[1]];
    else parts.push([text, style]);
  }
  return parts;
}

function trimmed(parts: readonly Inked[]): readonly Inked[] {
  return parts.map(([text, style], i) => [i === parts.length - 1 ? text.trimEnd() : text, style]);
}

function painted(text: string, style: Style): string {
  if (text === '' || style === 'plain') return text;
  const [begin, end] =
    style === 'bold' ? [1, 22] : style === 'dim' ? [2, 22] : [colours[style % colours.length], 39];
  return `\u001B[${begin}m${text}\u001B[${end}m`;
}
