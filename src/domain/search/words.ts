/** The searched fields of a series. */
export type SearchedSeries = {
  readonly id: string;
  readonly title?: string | null;
  readonly units?: string | null;
};

/** Matches a series by the contract: by a part of the id, or by words that begin words of the title. */
export function plainMatch(
  { id, title }: SearchedSeries,
  text: string,
  match: 'id' | 'title' | 'any',
): 'id' | 'title' | undefined {
  if (match !== 'title' && id.includes(text.toUpperCase())) return 'id';
  if (match === 'id') return undefined;
  const starts = wordsOf(text);
  // A text of punctuation alone has no words, so it matches no title.
  if (starts.length === 0) return undefined;
  const words = wordsOf(title);
  return starts.every((start) => words.some((word) => word.startsWith(start))) ? 'title' : undefined;
}

/** Splits a text into words in lower case. */
export function wordsOf(text: string | null | undefined): readonly string[] {
  return (text ?? '').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

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

/** Returns the longest word of a phrase; none if it has no words. */
export function longestWord(phrase: string | readonly string[]): readonly string[] {
  const words = typeof phrase === 'string' ? wordsOf(phrase) : phrase;
  return [...words].sort((a, b) => b.length - a.length).slice(0, 1);
}

/** Lists the words by which a search finds a series, each once. */
export function searchableWords({ id, title, units }: SearchedSeries): readonly string[] {
  return [...new Set([id, title ?? '', units ?? ''].flatMap(wordsOf))];
}

/** Finds the known name closest to a mistyped one, ignoring case; undefined if none is close. */
export function closest(wanted: string, known: readonly string[]): string | undefined {
  return closeNames(wanted, known)[0];
}

/** Returns the hint that names what a mistyped name may mean; none if nothing is close. */
export function didYouMean(wanted: string, known: readonly string[]): readonly string[] {
  const meant = closest(wanted, known);
  return meant === undefined ? [] : [`did you mean ${meant}?`];
}

/** Lists known names close to a mistyped one, closest first: a single name that begins with it is closest. */
export function closeNames(wanted: string, known: readonly string[]): readonly string[] {
  const typed = wanted.trim().toLowerCase();
  if (typed === '') return [];
  const completed = known.filter((name) => name.toLowerCase().startsWith(typed));
  return known
    .map((name) => {
      const isOnly = completed.length === 1 && completed[0] === name;
      return { name, away: isOnly ? -1 : distance(typed, name.toLowerCase(), 3) };
    })
    .filter(({ name, away }) => away <= 3 && away < 0.6 * Math.max(typed.length, name.length))
    .sort((a, b) => a.away - b.away)
    .map(({ name }) => name);
}

/** Counts insertions, deletions, substitutions and swaps of neighbours; `most` + 1 if there are more than `most`. */
function distance(a: string, b: string, most = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substituted = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(beforeLast, j - 2) + 1 : substituted;
      row.push(Math.min(substituted, swapped, at(last, j) + 1, at(row, j - 1) + 1));
    }
    // No later row can have a smaller value than the last two rows.
    if (Math.min(...last, ...row) > most) return most + 1;
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
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
