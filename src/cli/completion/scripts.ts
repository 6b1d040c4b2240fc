// Why: docs/decisions/completion-scripts.md
// Bash splits words at `:` and `=` too and replaces only what comes after them, so the script sends the whole line
// and the piece that bash will replace. The bash of macOS has no `compopt`.
const bashScript = `# completion of asof in bash: source <(asof completion bash)
_asof() {
  local answer kind line
  COMPREPLY=()
  answer=$(asof completion bash -- "\${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null </dev/null)
  {
    IFS= read -r kind
    while IFS= read -r line; do
      [[ -z $line ]] || COMPREPLY+=("$line")
    done
  } <<< "$answer"
  case $kind in
    words) compopt +o default -o nosort 2>/dev/null || compopt +o default 2>/dev/null || : ;;
    folders) compopt +o default -o dirnames 2>/dev/null || : ;;
  esac
  return 0
}
complete -o default -F _asof asof
`;

const bash: Shell = {
  script: bashScript,
  request([line = '']) {
    const { words, current, redirected } = bashLine(line);
    return redirected ? undefined : { words, current };
  },
  answer(choices, lead, [line = '', replaced = '']) {
    const { raw, quote } = bashLine(line);
    if (typeof choices === 'string') return [choices];
    if (!raw.endsWith(replaced)) return ['words'];
    const kept = bashLine(raw.slice(0, raw.length - replaced.length)).current.length;
    return ['words', ...choices.map(({ value }) => bashText((lead + value).slice(kept), quote))];
  },
};

// zsh quotes what it inserts; the script makes it ignore letter case, as asof does.
const zshScript = `#compdef asof
# completion of asof in zsh: source <(asof completion zsh), or this text as the file _asof in a folder of $fpath
_asof() {
  local -a answer choices before
  local line value lead
  (( CURRENT > 2 )) && before=("\${(@Q)words[2,CURRENT-1]}")
  answer=("\${(@f)$(asof completion zsh -- "\${before[@]}" "\${(Q)PREFIX}" 2>/dev/null </dev/null)}")
  lead=\${answer[1]#*$'\\t'}
  [[ -z $lead ]] || compset -P "\${(b)lead}"
  case \${answer[1]%%$'\\t'*} in
    words)
      for line in "\${(@)answer[2,-1]}"; do
        value=\${line%%$'\\t'*}
        value=\${value//\\\\/\\\\\\\\}
        choices+=("\${value//:/\\\\:}:\${line#*$'\\t'}")
      done
      _describe -V asof choices -M 'm:{[:lower:][:upper:]}={[:upper:][:lower:]}'
      ;;
    files) _files ;;
    folders) _files -/ ;;
  esac
}
if [[ \${funcstack[1]} == _asof ]]; then
  _asof "$@"
else
  (( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit -i }
  compdef _asof asof
fi
`;

const zsh: Shell = {
  script: zshScript,
  request: (sent) => ({ words: sent.slice(0, -1), current: sent.at(-1) ?? '' }),
  answer(choices, lead) {
    const [kind, words] = typeof choices === 'string' ? [choices, []] : ['words', choices];
    return [`${kind}\t${lead}`, ...words.map(({ value, about = '' }) => `${value}\t${about}`)];
  },
};

// fish ignores letter case and quotes what it inserts.
const fishScript = `# completion of asof in fish: asof completion fish > ~/.config/fish/completions/asof.fish
function __asof_choices
    # The second is for fish before 4, which knows only that.
    set -l before (commandline -xpc 2>/dev/null; or commandline -opc)
    set -l current (commandline -ct)
    # A quote that is still open.
    for quote in '' '"' "'"
        set -l text (string unescape -- "$current$quote")
        and set current "$text"
        and break
    end
    set -l answer (asof completion fish -- $before[2..-1] "$current" 2>/dev/null </dev/null)
    set -l first (string split -m 1 \\t -- "$answer[1]")
    set -l rest (string sub -s (math (string length -- "$first[2]") + 1) -- "$current")
    switch "$first[1]"
        case words
            for line in $answer[2..-1]
                printf '%s%s\\n' "$first[2]" "$line"
            end
        case files
            for path in (__fish_complete_path "$rest")
                printf '%s%s\\n' "$first[2]" "$path"
            end
        case folders
            for path in (__fish_complete_directories "$rest")
                printf '%s%s\\n' "$first[2]" "$path"
            end
    end
end
complete -c asof -e
complete -c asof -f -k -a '(__asof_choices)'
`;

const fish: Shell = { ...zsh, script: fishScript };

/** The shells with completion. */
export const shells = { bash, zsh, fish } as const;

/** A word that may be typed at the cursor. */
export type Choice = { readonly value: string; readonly about?: string };

/** What may be typed at the cursor; files and folders come from the shell. */
export type Choices = readonly Choice[] | 'files' | 'folders';

type Shell = {
  /** The script that the shell reads once; it registers a function that calls asof at each TAB. */
  readonly script: string;
  /** Reads what the script sends: the words before the cursor and the current one; undefined for other lines. */
  readonly request: (
    sent: readonly string[],
  ) => { readonly words: readonly string[]; readonly current: string } | undefined;
  /** Returns the lines that the script reads: the kind of choices, then the words in the shell's form. */
  readonly answer: (choices: Choices, lead: string, sent: readonly string[]) => readonly string[];
};

export type Quote = '' | '"' | "'";

/**
 * Splits a bash line up to the cursor without expanding anything: `$x` and `$(…)` stay as typed.
 * Leaves out the command's own name, and the files of redirections.
 */
export function bashLine(line: string) {
  const words: string[] = [];
  let [raw, value, redirects] = ['', '', false];
  let quote: Quote = '';
  let hasWord = false;
  const end = () => {
    if (hasWord && !redirects) words.push(value);
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
  return { words: words.slice(1), current: value, raw, quote, redirected: redirects };
}

/** Quotes a text for bash as one word without expansions, after an open quote if there is one. */
export function bashText(text: string, quote: Quote): string {
  if (quote === '') return text.replace(/[^\p{L}\p{N}_./:=@%+,-]/gu, '\\$&');
  const typed =
    quote === "'"
      ? text.replaceAll("'", "'\\''")
      : // Within double quotes no backslash stops `!` from recalling an earlier command.
        text.replace(/[$`"\\]/g, '\\$&').replaceAll('!', '"\\!"');
  // Bash closes the quote, unless the text ends like a closed one.
  return typed.endsWith(quote) ? typed + quote : typed;
}
