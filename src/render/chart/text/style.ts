/** The style of a text; a number is the colour of that line. */
export type StyleName = 'plain' | 'bold' | 'dim' | number;

/** A text and its style. */
export type StyledText = readonly [text: string, style: StyleName];

/** Colours of the terminal palette that are readable on a light and on a dark background. */
const colours = [36, 35, 32, 31, 34, 33];

/** Joins styled lines, without trailing blanks; writes escape sequences only if `colour` allows them. */
export function formatLines(lines: readonly (readonly StyledText[])[], colour: boolean): string {
  return lines
    .map((line) => `${colour ? colourLine(line) : line.map(([text]) => text).join('')}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('');
}

function colourLine(line: readonly StyledText[]): string {
  return trimEnd(joinEqual(line))
    .map(([text, style]) => colourText(text, style))
    .join('');
}

/** Joins neighbours of equal style. */
function joinEqual(line: readonly StyledText[]): readonly StyledText[] {
  const parts: StyledText[] = [];
  for (const [text, style] of line) {
    const last = parts.at(-1);
    if (last !== undefined && (last[1] === style || text.trim() === ''))
      parts[parts.length - 1] = [last[0] + text, last[1]];
    else parts.push([text, style]);
  }
  return parts;
}

function trimEnd(parts: readonly StyledText[]): readonly StyledText[] {
  return parts.map(([text, style], i) => [i === parts.length - 1 ? text.trimEnd() : text, style]);
}

function colourText(text: string, style: StyleName): string {
  if (text === '' || style === 'plain') return text;
  const [begin, end] =
    style === 'bold' ? [1, 22] : style === 'dim' ? [2, 22] : [colours[style % colours.length], 39];
  return `\u001B[${begin}m${text}\u001B[${end}m`;
}
