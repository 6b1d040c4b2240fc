/** A bash command line up to the cursor: the words before it, and the current one. */
export type BashLine = {
  /** Quotes and backslashes taken away, the command's own name left out. */
  readonly words: readonly string[];
  readonly current: string;
  /** The current word as it was typed. */
  readonly raw: string;
  /** The quote that is open at the cursor. */
  readonly quote: Quote;
  /** Whether the current word is the file of a redirection. */
  readonly redirected: boolean;
};

/** The quotes that can be open. */
export type Quote = '' | '"' | "'";

type Word = { readonly raw: string; readonly value: string; readonly redirected: boolean };

/** Splits a line as bash does, without expanding anything: `$x` and `$(…)` stay as they were typed. */
export function bashLine(line: string): BashLine {
  const words: Word[] = [];
  let [raw, value, redirects] = ['', '', false];
  let quote: Quote = '';
  let hasWord = false;
  const end = () => {
    if (hasWord) words.push({ raw, value, redirected: redirects });
    if (hasWord) redirects = false;
    [raw, value, hasWord] = ['', '', false];
  };
  const text = [...line.replaceAll('\\\n', '')];
  for (let i = 0; i < text.length; i += 1) {
    const [here = '', next] = [text[i], text[i + 1]];
    const escapes =
      here === '\\' && quote !== "'" && (quote === '' || next === undefined || '$`"\\'.includes(next));
    if (quote === '' && /[\s<>|&;()]/.test(here)) {
      // In `2> file` the number belongs to the redirection.
      if (/[<>]/.test(here) && /^\d+$/.test(raw)) hasWord = false;
      end();
      redirects ||= /[<>]/.test(here);
      continue;
    }
    hasWord = true;
    raw += here;
    if (escapes) {
      raw += next ?? '';
      value += next ?? '';
      i += 1;
    } else if (here === quote) quote = '';
    else if (quote === '' && (here === '"' || here === "'")) quote = here;
    else value += here;
  }
  const before = words.filter(({ redirected }) => !redirected).map((word) => word.value);
  return { words: before.slice(1), current: value, raw, quote, redirected: redirects };
}

/** A text as it is typed in bash, after an open quote if there is one: one word, in which bash expands nothing. */
export function bashText(text: string, quote: Quote): string {
  if (quote === '') return text.replace(/[^\p{L}\p{N}_./:=@%+,-]/gu, '\\$&');
  const typed = quote === "'" ? text.replaceAll("'", "'\\''") : withinDoubleQuotes(text);
  // Bash closes the quote, unless the text ends like a closed one.
  return typed.endsWith(quote) ? typed + quote : typed;
}

/** Within double quotes no backslash stops `!` from recalling an earlier command. */
function withinDoubleQuotes(text: string): string {
  return text.replace(/[$`"\\]/g, '\\$&').replaceAll('!', '"\\!"');
}
