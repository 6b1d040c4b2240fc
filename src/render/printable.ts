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
