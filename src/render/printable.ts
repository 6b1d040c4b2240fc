// Most texts match, and need no further checks.
const plain = /^[ -~…]*$/;
// Controls, invisible formatting such as bidi overrides, line separators, lone surrogates;
// not the joiners of scripts and emoji.
const unsafe = /(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Makes foreign text safe for a terminal: control characters become pictures (`␛`, `␊`), invisible ones `�`. */
export function printable(text: string): string {
  return plain.test(text) ? text : text.replace(unsafe, pictureOf);
}

function pictureOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\uFFFD';
}

/**
 * Packs words into lines of at most `width` cells, later ones behind an indent; a longer word is a line.
 * Default of `widthOf`: a cell for each character, because what measures others takes 25 ms to load.
 */
export function packed(
  words: readonly string[],
  width: number,
  indent = '',
  widthOf: (text: string) => number = ({ length }) => length,
): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const longer = `${lines.at(-1) ?? ''} ${word}`;
    if (lines.length > 0 && widthOf(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(lines.length === 0 ? word : indent + word);
  }
  return lines;
}
