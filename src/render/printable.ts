// What most texts consist of needs no closer look.
const plain = /^[ -~…]*$/;
// Controls, invisible formatting such as bidi overrides (joiners apart, which scripts and emoji need), line separators, lone surrogates.
const unsafe = /(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Foreign text that cannot steer a terminal: control characters are shown as their pictures (`␛`, `␊`), other invisible ones as `�`. */
export function printable(text: string): string {
  return plain.test(text) ? text : text.replace(unsafe, picture);
}

function picture(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\uFFFD';
}
