import { distance, wordsOf } from './words.ts';

/** Returns what tells whether a word begins so, or is its singular; a number or a single letter is a whole word. */
export function beginning(start: string): (word: string) => boolean {
  if (isWhole(start)) return (word) => word === start;
  const singulars = singular(start);
  return (word) => word.startsWith(start) || singulars.includes(word);
}

/** Returns the singular of a text that looks like a plural; none for any other. */
export function singular(text: string): readonly string[] {
  return /^\p{L}{3,}[^s]s$/u.test(text) ? [text.slice(0, -1)] : [];
}

/** Lists a word, its singular and its plural. */
export function formsOf(word: string): readonly string[] {
  return [word, ...singular(word), ...(isWhole(word) || word.endsWith('s') ? [] : [`${word}s`])];
}

/** Tells whether a text is one letter or a number, which begins no other word. */
export function isWhole(text: string): boolean {
  return text.length === 1 || /^\p{N}+$/u.test(text);
}

/** Tells whether a text is a word of five letters or more, or five letters that begin one, with one mistake. */
export function isTypoOf(text: string, word: string): boolean {
  // Shorter words differ in one letter from too many others: men is not what is meant by mean.
  if (word.length < 5 || /\p{N}/u.test(text)) return false;
  if (distance(text, word, 1) <= 1) return true;
  if (text.length < 5 || word.length <= text.length) return false;
  return [0, 1].some((more) => distance(text, word.slice(0, text.length + more), 1) <= 1);
}

/** Lists beginnings of which every word has one that `isTypoOf` takes a text for, if its letters are Latin. */
export function startsNear(text: string): readonly string[] {
  if (text.length < 4) return [];
  const starts = new Set<string>();
  for (let at = 0; at <= text.length; at += 1) {
    const [before, after, rest] = [text.slice(0, at), text.slice(at), text.slice(at + 1)];
    starts.add(before + rest);
    starts.add(before + rest.charAt(0) + after.charAt(0) + rest.slice(1));
    for (const letter of latinLetters()) {
      starts.add(before + letter + after);
      starts.add(before + letter + rest);
    }
  }
  return [...starts];
}

let latin: readonly string[] | undefined;

/** Lists digits and the letters of Latin script in European languages, in lower case. */
function latinLetters(): readonly string[] {
  latin ??= ['0-9', 'a-z', 'ß-ſ'].flatMap((range) => {
    const [first = 0, last = 0] = [range.charCodeAt(0), range.charCodeAt(2)];
    const all = Array.from({ length: last - first + 1 }, (_, at) => String.fromCharCode(first + at));
    return all.filter((letter) => wordsOf(letter)[0] === letter);
  });
  return latin;
}
